/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the addresses in stacks. */
#include "pgo/hits.h"

#include <stdlib.h>

#include "image/file/image.h"
#include "util/vec.h"
#include "view/view_build.h"

#define KERNEL 0u /* of view.images */

int hits_add(struct hits *h, uint64_t address, uint64_t samples)
{
    uint32_t *at = map_put(&h->by_address, address, 0);

    if (at == NULL ||
        vec_grow(&h->list, &h->room, h->count, sizeof *h->list) != 0)
        return -1;
    if (*at == MAP_NOTHING) {
        *at = (uint32_t)h->count;
        h->list[h->count++].address = address;
        h->list[*at].samples = 0;
    }
    h->list[*at].samples += samples;
    h->samples += samples;
    return 0;
}

/* Write the address in the kernel's code that a sample of (path) hit to
 * (*address). False if the core slept, or if the address is unknown. */
static bool leaf_of(const struct view_path *path, uint64_t *address)
{
    const struct view_step *leaf;

    if (path->idle || path->unseen || path->count == 0)
        return false;
    leaf = &path->steps[path->count - 1];
    *address = leaf->address;
    return leaf->function >= VIEW_MARKS && leaf->image == KERNEL;
}

static int gather_core(struct hits *out, const struct profile *p, size_t core,
                       const struct view *v)
{
    for (size_t i = 0; i < p->cores[core].entry_count; i++) {
        struct view_path path;
        uint64_t address;

        if (p->cores[core].entries[i].tally.samples == 0)
            continue; /* left out */
        if (!view_leaf_of(v, core, i, &path))
            return -1;
        if (leaf_of(&path, &address) &&
            hits_add(out, address, path.amount.samples) != 0)
            return -1;
    }
    return 0;
}

static int add_beginnings(struct hits *h, const struct image *image)
{
    size_t hit = h->count;

    for (size_t i = 0; i < hit; i++) {
        const struct image_function *f =
            image_find_function(image, h->list[i].address);

        if (f != NULL && hits_add(h, f->start, 0) != 0)
            return -1;
    }
    return 0;
}

int hits_gather(struct hits *out, const struct profile *p, const struct view *v,
                const struct image *image)
{
    *out = (struct hits){0};
    for (size_t i = 0; i < p->core_count; i++)
        if (gather_core(out, p, i, v) != 0)
            return -1;
    return add_beginnings(out, image);
}

uint64_t hits_at(const struct hits *h, uint64_t address)
{
    uint32_t at = map_get(&h->by_address, address, 0);

    return at != MAP_NOTHING ? h->list[at].samples : 0;
}

void hits_fini(struct hits *h)
{
    free(h->list);
    map_fini(&h->by_address);
}
