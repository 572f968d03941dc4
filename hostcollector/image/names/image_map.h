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

/* An image, at whatever address. Its readers must outlive the map and have
 * slide 0: they are asked for link-time addresses. */
struct mapped_image {
    const char *name; /* harmless on a terminal; copied. NULL: the kernel */
    const struct image *file;          /* NULL: not known */
    const char *path;                  /* of (file), absolute; NULL likewise */
    struct symbolizer *symbolizer;     /* NULL: the file is not known */
    struct frame_places *frame_places; /* likewise */
};

/* The number of the kernel. Other images have numbers in the order in which
 * they were added. */
#define IMAGE_MAP_KERNEL 0u

/*
 * A map of (kernel) alone, which was moved by (slide) at load. The kernel has
 * all addresses that no other image has. NULL if there is no memory.
 */
struct image_map *image_map_new(const struct mapped_image *kernel,
                                uint64_t slide);

/* Release (a), not what reads its images. NULL is allowed. */
void image_map_free(struct image_map *a);

/* Add (image), without addresses as yet. Returns its number; UINT32_MAX if
 * there is no memory. */
uint32_t image_map_add(struct image_map *a, const struct mapped_image *image);

/*
 * The (size) bytes from run-time address (start) on are image number (image),
 * moved by (slide). They must not wrap, nor belong to another image. An image
 * may be given several such ranges. Returns 0; -1 if there is no memory.
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
 * since the address may lie after its image's last byte. */
struct image_address image_map_find(const struct image_map *a, uint64_t pc);

/* Number of images, with the kernel. */
size_t image_map_count(const struct image_map *a);

/* Image number (image). */
const struct mapped_image *image_map_image(const struct image_map *a,
                                           uint32_t image);

#endif
