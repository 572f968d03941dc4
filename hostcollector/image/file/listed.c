/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols from a list are labels: a list has no sizes. */
#include "image/file/listed.h"
#include "util/bounds.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

int listed_add(struct listed *l, struct object *o, uint64_t address, char type,
               const char *name, size_t length)
{
    static const char codes[] = "tTwWiV";
    const char *kept;

    if (type == '\0' || strchr(codes, type) == NULL || length == 0)
        return 0;
    kept = arena_strndup(&o->names, name, length);
    if (kept == NULL ||
        vec_grow(&l->list, &l->room, l->count, sizeof *l->list) != 0)
        return -1;
    l->list[l->count] = (struct symtab_candidate){
        .f = {.start = address, .local = type == 't', .name = kept},
        .rank = type == 'T'   ? 2
                : type == 't' ? 0
                              : 1,
        .order = (unsigned)l->count};
    l->count++;
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct image_part *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

/* The end of the run of code that contains (address); 0 if no run does. The
 * (count) runs are sorted by address. */
static uint64_t limit_of(const struct image_part *parts, size_t count,
                         uint64_t address)
{
    size_t end = upper_bound(parts, count, sizeof *parts,
                             offsetof(struct image_part, address), address);

    if (end == 0 || address - parts[end - 1].address >= parts[end - 1].size)
        return 0;
    return parts[end - 1].address + parts[end - 1].size;
}

int listed_fill(struct listed *l, struct object *o, uint64_t slide)
{
    struct image_part *parts = calloc(o->code_count + 1, sizeof *parts);
    size_t kept = 0;
    int result = -1;

    if (parts != NULL) {
        for (size_t i = 0; i < o->code_count; i++)
            parts[i] = o->code[i];
        qsort(parts, o->code_count, sizeof *parts, by_address);
        for (size_t i = 0; i < l->count; i++) {
            struct symtab_candidate c = l->list[i];

            c.f.start -= slide;
            c.limit = limit_of(parts, o->code_count, c.f.start);
            if (c.limit != 0 && symtab_wants(c.f.name))
                l->list[kept++] = c;
        }
        o->is_listed = kept != 0;
        result = kept != 0 ? symtab_fill(&o->symtab, l->list, kept) : 0;
    }
    free(parts);
    listed_fini(l);
    return result;
}

void listed_fini(struct listed *l)
{
    free(l->list);
    *l = (struct listed){0};
}
