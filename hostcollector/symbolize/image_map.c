/* SPDX-License-Identifier: BSD-2-Clause */
/* Images, and the places at which they lie, by rising address. */
#include "symbolize/image_map.h"

#include <stdlib.h>
#include <string.h>

#include "util/arena.h"
#include "util/vec.h"

struct atlas_range {
    uint64_t start, size, slide;
    uint32_t image;
};

struct atlas {
    struct atlas_image *images;
    size_t image_count, image_room;
    struct atlas_range *ranges;
    size_t range_count, range_room;
    uint64_t slide;     /* the kernel's */
    struct arena arena; /* names */
};

struct atlas *atlas_new(const struct atlas_image *kernel, uint64_t slide)
{
    struct atlas *a = calloc(1, sizeof *a);

    if (a == NULL)
        return NULL;
    a->slide = slide;
    if (atlas_add(a, kernel) == UINT32_MAX) {
        atlas_free(a);
        return NULL;
    }
    return a;
}

void atlas_free(struct atlas *a)
{
    if (a == NULL)
        return;
    arena_fini(&a->arena);
    free(a->images);
    free(a->ranges);
    free(a);
}

uint32_t atlas_add(struct atlas *a, const struct atlas_image *image)
{
    struct atlas_image copy = *image;

    if (copy.name != NULL)
        copy.name = arena_strndup(&a->arena, copy.name, strlen(copy.name));
    if ((copy.name == NULL) != (image->name == NULL) ||
        vec_grow(&a->images, &a->image_room, a->image_count,
                 sizeof *a->images) != 0)
        return UINT32_MAX;
    a->images[a->image_count] = copy;
    return (uint32_t)a->image_count++;
}

/* How many places begin at or before (pc). */
static size_t begun(const struct atlas *a, uint64_t pc)
{
    size_t low = 0, high = a->range_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (a->ranges[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int atlas_place(struct atlas *a, uint32_t image, uint64_t start, uint64_t size,
                uint64_t slide)
{
    size_t at = begun(a, start);

    if (vec_grow(&a->ranges, &a->range_room, a->range_count,
                 sizeof *a->ranges) != 0)
        return -1;
    memmove(&a->ranges[at + 1], &a->ranges[at],
            (a->range_count - at) * sizeof *a->ranges);
    a->ranges[at] = (struct atlas_range){start, size, slide, image};
    a->range_count++;
    return 0;
}

struct atlas_spot atlas_find(const struct atlas *a, uint64_t pc)
{
    size_t n = begun(a, pc);
    const struct atlas_range *r = n != 0 ? &a->ranges[n - 1] : NULL;

    if (r == NULL || pc - r->start >= r->size)
        return (struct atlas_spot){&a->images[ATLAS_KERNEL], ATLAS_KERNEL,
                                   pc - a->slide};
    return (struct atlas_spot){&a->images[r->image], r->image, pc - r->slide};
}

size_t atlas_count(const struct atlas *a)
{
    return a->image_count;
}

const struct atlas_image *atlas_image(const struct atlas *a, uint32_t image)
{
    return &a->images[image];
}
