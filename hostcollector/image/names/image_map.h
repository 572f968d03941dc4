/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run-time address -> image and link-time address, for a kernel and the images
 * that it has loaded. The map keeps pointers to the readers of each image, and
 * does not call them.
 */
#ifndef TPROF_IMAGE_NAMES_IMAGE_MAP_H
#define TPROF_IMAGE_NAMES_IMAGE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct image_map;
struct frame_places;
struct image;
struct symbolizer;

/* An image, before its addresses are known. Its readers must outlive the map
 * and have slide 0, because they receive link-time addresses. */
struct mapped_image {
    const char *name;         /* safe to print on a terminal; copied. NULL: the
                               * kernel */
    const struct image *file; /* NULL: not known */
    const char *path;         /* absolute path of (file); NULL: not known */
    struct symbolizer *symbolizer;     /* NULL: the file is not known */
    struct frame_places *frame_places; /* NULL: the file is not known */
};

/* The number of the kernel. Other images are numbered in the order of
 * addition. */
#define IMAGE_MAP_KERNEL 0u

/*
 * Make a map with (kernel) only, which was moved by (slide) at load. The kernel
 * has all addresses that no other image has. NULL if there is no memory.
 */
struct image_map *image_map_new(const struct mapped_image *kernel,
                                uint64_t slide);

/* Release (a), but not the readers of its images. NULL is allowed. */
void image_map_free(struct image_map *a);

/* Add (image), without addresses yet. Returns its number; UINT32_MAX if there
 * is no memory. */
uint32_t image_map_add(struct image_map *a, const struct mapped_image *image);

/*
 * Assign the (size) bytes from run-time address (start) to image number
 * (image), which was moved by (slide). The range must not wrap, nor overlap
 * another range. An image may have several ranges. Returns 0; -1 if there is no
 * memory.
 */
int image_map_place(struct image_map *a, uint32_t image, uint64_t start,
                    uint64_t size, uint64_t slide);

/* Image and link-time address at a run-time address. */
struct image_address {
    const struct mapped_image *image; /* never NULL */
    uint32_t number;                  /* of that image */
    uint64_t address;                 /* at link time */
};

/* Find (pc) by binary search. For a return address pass the address minus one,
 * because the return address may be one byte after the end of its image. */
struct image_address image_map_find(const struct image_map *a, uint64_t pc);

/* Number of images, with the kernel. */
size_t image_map_count(const struct image_map *a);

/* Image number (image). */
const struct mapped_image *image_map_image(const struct image_map *a,
                                           uint32_t image);

#endif
