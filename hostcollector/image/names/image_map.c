/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the images and their address ranges, sorted by address. */
#include "image/names/image_map.h"

#include <stdlib.h>
#include <string.h>

#include "util/arena.h"
#include "util/bounds.h"
#include "util/vec.h"

struct image_range {
    uint64_t start, size, slide;
    uint32_t image;
};

struct image_map {
    struct mapped_image *images;
    size_t image_count, image_room;
    struct image_range *ranges;
    size_t range_count, range_room;
    uint64_t slide;     /* the kernel's */
    struct arena arena; /* names */
};

struct image_map *image_map_new(const struct mapped_image *kernel,
                                uint64_t slide)
{
    struct image_map *a = calloc(1, sizeof *a);

    if (a == NULL)
        return NULL;
    a->slide = slide;
    if (image_map_add(a, kernel) == UINT32_MAX) {
        image_map_free(a);
        return NULL;
    }
    return a;
}

void image_map_free(struct image_map *a)
{
    if (a == NULL)
        return;
    arena_fini(&a->arena);
    free(a->images);
    free(a->ranges);
    free(a);
}

uint32_t image_map_add(struct image_map *a, const struct mapped_image *image)
{
    struct mapped_image copy = *image;

    if (copy.name != NULL)
        copy.name = arena_strndup(&a->arena, copy.name, strlen(copy.name));
    if ((copy.name == NULL) != (image->name == NULL) ||
        vec_grow(&a->images, &a->image_room, a->image_count,
                 sizeof *a->images) != 0)
        return UINT32_MAX;
    a->images[a->image_count] = copy;
    return (uint32_t)a->image_count++;
}

/* Number of places that begin at or before (pc). */
static size_t begun(const struct image_map *a, uint64_t pc)
{
    return upper_bound(a->ranges, a->range_count, sizeof *a->ranges,
                       offsetof(struct image_range, start), pc);
}

int image_map_place(struct image_map *a, uint32_t image, uint64_t start,
                    uint64_t size, uint64_t slide)
{
    size_t at = begun(a, start);

    if (vec_grow(&a->ranges, &a->range_room, a->range_count,
                 sizeof *a->ranges) != 0)
        return -1;
    memmove(&a->ranges[at + 1], &a->ranges[at],
            (a->range_count - at) * sizeof *a->ranges);
    a->ranges[at] = (struct image_range){start, size, slide, image};
    a->range_count++;
    return 0;
}

struct image_address image_map_find(const struct image_map *a, uint64_t pc)
{
    size_t n = begun(a, pc);
    const struct image_range *r = n != 0 ? &a->ranges[n - 1] : NULL;

    if (r == NULL || pc - r->start >= r->size)
        return (struct image_address){&a->images[IMAGE_MAP_KERNEL],
                                      IMAGE_MAP_KERNEL, pc - a->slide};
    return (struct image_address){&a->images[r->image], r->image,
                                  pc - r->slide};
}

size_t image_map_count(const struct image_map *a)
{
    return a->image_count;
}

const struct mapped_image *image_map_image(const struct image_map *a,
                                           uint32_t image)
{
    return &a->images[image];
}
