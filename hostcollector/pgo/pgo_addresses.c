/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts addresses to symbols and offsets. */
#include "pgo/pgo_parts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>

#include "image/file/image.h"

/* Numbers for local symbols of the same name, by rising address. */
struct numbers {
    struct pair_map by_name;  /* number of symbols with the name so far */
    struct pair_map by_start; /* address of a function -> its number */
};

static bool is_word(const char *name)
{
    if (*name == '\0')
        return false;
    for (; *name != '\0'; name++)
        if (!isgraph((unsigned char)*name))
            return false;
    return true;
}

static int number_all(struct numbers *n, struct names *names,
                      const struct image *image)
{
    const struct image_function *f;

    for (size_t i = 0; (f = image_function_at(image, i)) != NULL; i++) {
        const char *once = f->local ? names_keep(names, f->name) : NULL;
        uint32_t *until, number;

        if (!f->local)
            continue;
        until = once != NULL ? map_put(&n->by_name, (uintptr_t)once, 0) : NULL;
        if (until == NULL)
            return -1;
        if (*until == MAP_NOTHING)
            *until = 0;
        number = ++*until;
        until = map_put(&n->by_start, f->start, 0);
        if (until == NULL)
            return -1;
        *until = number;
    }
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct pgo_hit *left = a, *right = b;

    return (left->address > right->address) - (left->address < right->address);
}

/* Add those of the (count) (hits) that are in functions. */
static int add_all(struct sample_profile *out, struct sampled_address *to,
                   const struct numbers *n, struct names *names,
                   const struct pgo_hit *hits, size_t count,
                   const struct image *image)
{
    for (size_t i = 0; i < count; i++) {
        const struct image_function *f =
            image_find_function(image, hits[i].address);
        uint32_t number;

        if (hits[i].samples == 0 || f == NULL || !is_word(f->name))
            continue;
        number = f->local ? map_get(&n->by_start, f->start, 0) : 0;
        to[out->address_count] = (struct sampled_address){
            names_keep(names, f->name), number, hits[i].address - f->start,
            hits[i].samples};
        if (to[out->address_count++].function == NULL)
            return -1;
        out->placed += hits[i].samples;
    }
    out->addresses = to;
    return 0;
}

int pgo_addresses_finish(struct sample_profile *out, struct arena *arena,
                         struct names *names, const struct hits *h,
                         const struct image *image)
{
    struct sampled_address *to =
        arena_alloc(arena, (h->count + 1) * sizeof *to);
    struct pgo_hit *hits = arena_alloc(arena, (h->count + 1) * sizeof *hits);
    struct numbers n = {0};
    int result = -1;

    if (to != NULL && hits != NULL && number_all(&n, names, image) == 0) {
        for (size_t i = 0; i < h->count; i++)
            hits[i] = h->list[i];
        qsort(hits, h->count, sizeof *hits, by_address);
        result = add_all(out, to, &n, names, hits, h->count, image);
    }
    map_fini(&n.by_name);
    map_fini(&n.by_start);
    return result;
}
