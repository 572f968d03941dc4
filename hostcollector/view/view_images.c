/* SPDX-License-Identifier: BSD-2-Clause */
/* The images of a view. */
#include "view/view_images.h"

#include <stdlib.h>
#include <string.h>

#include "image/file/image.h"
#include "util/vec.h"

/* The guest's description of an image. The address is an address in the
 * file. */
struct told {
    uint64_t start, size, address; /* of its code */
    const uint8_t *build_id;
    size_t build_id_len;
};

static struct told told_of_kernel(const struct guest *g)
{
    return (struct told){.start = g->text_start,
                         .size = g->text_size,
                         .build_id = g->build_id,
                         .build_id_len = g->build_id_len};
}

static struct told told_of_map(const struct guest_map *map)
{
    return (struct told){.start = map->start,
                         .size = map->size,
                         .build_id = map->build_id,
                         .build_id_len = map->build_id_len};
}

/* Description of image (number) in (p). If the image is at several places, the
 * first one. */
static struct told told_of(const struct profile *p,
                           const struct image_map *image_map, uint32_t number)
{
    struct told told = {0};

    if (number == IMAGE_MAP_KERNEL)
        told = told_of_kernel(&p->guest);
    for (size_t i = p->map_count; i-- > 0 && number != IMAGE_MAP_KERNEL;)
        if (image_map_find(image_map, p->maps[i].start).number == number)
            told = told_of_map(&p->maps[i]);
    told.address = image_map_find(image_map, told.start).address;
    return told;
}

static int add_segment(struct view_image *image, size_t *room,
                       const struct view_segment *segment)
{
    if (vec_grow(&image->segments, room, image->segment_count,
                 sizeof *image->segments) != 0)
        return -1;
    image->segments[image->segment_count++] = *segment;
    return 0;
}

/* Add the code segments of (file). Without a file, add the code that the guest
 * described. */
static int add_segments(struct view_image *image, const struct image *file,
                        const struct told *told)
{
    const struct view_segment whole = {told->address, told->size, 0};
    const struct image_text *text;
    size_t room = 0;

    if (file == NULL)
        return told->size != 0 ? add_segment(image, &room, &whole) : 0;
    for (size_t i = 0; (text = image_text_at(file, i)) != NULL; i++) {
        const struct view_segment segment = {text->address, text->size,
                                             text->file_offset};

        if (add_segment(image, &room, &segment) != 0)
            return -1;
    }
    return 0;
}

static int fill(struct view_image *image, const struct mapped_image *mapped,
                const struct told *told)
{
    *image = (struct view_image){.name = mapped->name,
                                 .path = mapped->path,
                                 .build_id = told->build_id,
                                 .build_id_len = told->build_id_len,
                                 .slide = told->start - told->address};

    if (mapped->file != NULL) {
        struct image_hash hash = {0};

        image->build_id = image_build_id(mapped->file, &image->build_id_len);
        image->has_hash = image_get_hash(mapped->file, &hash);
        memcpy(image->hash, hash.bytes, sizeof image->hash);
    }
    return add_segments(image, mapped->file, told);
}

int view_images_init(struct view *v, const struct profile *p,
                     const struct image_map *image_map)
{
    v->image_count = image_map_count(image_map);
    v->images = calloc(v->image_count, sizeof *v->images);
    for (uint32_t i = 0; v->images != NULL && i < v->image_count; i++) {
        const struct told told = told_of(p, image_map, i);

        if (fill(&v->images[i], image_map_image(image_map, i), &told) != 0)
            return -1;
    }
    return v->images != NULL ? 0 : -1;
}

void view_images_fini(struct view *v)
{
    for (size_t i = 0; v->images != NULL && i < v->image_count; i++)
        free(v->images[i].segments);
    free(v->images);
}
