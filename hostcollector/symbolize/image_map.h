/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which image a run-time address lies in, and where there: a kernel, and what
 * it has loaded. Knows of the readers of an image no more than where they are.
 */
#ifndef TPROF_SYMBOLIZE_IMAGE_MAP_H
#define TPROF_SYMBOLIZE_IMAGE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct image_map;
struct frame_places;
struct symbolizer;

/* An image, wherever it lies. Readers must outlive the image_map, and be of
 * slide 0: they are asked for link-time addresses. */
struct mapped_image {
    const char *name; /* to be shown, harmless; copied. NULL: the kernel's */
    struct symbolizer *symbolizer;     /* NULL: its file is not known */
    struct frame_places *frame_places; /* likewise */
};

/* The kernel's number; others follow in the order in which they were added. */
#define IMAGE_MAP_KERNEL 0u

/*
 * A map of (kernel) alone, which was moved by (slide) at load: all addresses
 * that no other image was given are its own. NULL if there is no memory.
 */
struct image_map *image_map_new(const struct mapped_image *kernel,
                                uint64_t slide);

/* Release (a), not what reads its images. NULL is allowed. */
void image_map_free(struct image_map *a);

/* Add (image), which lies nowhere yet. Its number; UINT32_MAX if there is no
 * memory. */
uint32_t image_map_add(struct image_map *a, const struct mapped_image *image);

/*
 * Image number (image) lies at the (size) bytes from run-time address (start)
 * on, which are no other one's and do not wrap; it was moved by (slide). An
 * image may lie at several places. Returns 0; -1 if there is no memory.
 */
int image_map_place(struct image_map *a, uint32_t image, uint64_t start,
                    uint64_t size, uint64_t slide);

/* What is at a run-time address. */
struct image_address {
    const struct mapped_image *image; /* never NULL */
    uint32_t number;                  /* of that image */
    uint64_t address;                 /* at link time */
};

/* Takes as long as a binary search over the places. For a return address give
 * it minus one: it may lie behind its image's last byte. */
struct image_address image_map_find(const struct image_map *a, uint64_t pc);

/* How many images there are, the kernel's among them. */
size_t image_map_count(const struct image_map *a);

/* Image number (image). */
const struct mapped_image *image_map_image(const struct image_map *a,
                                           uint32_t image);

#endif
