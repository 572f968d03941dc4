/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of a recording -> images that answer as their files would. The bytes
 * may be hostile: their form and size are checked, and false names do no
 * further harm.
 */
#ifndef TPROF_RECORDING_NAMES_READ_H
#define TPROF_RECORDING_NAMES_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct frame_places;
struct image;
struct symbolizer;

struct named_image {
    bool is_kernel;
    struct image *image;
    struct symbolizer *symbolizer;
    struct frame_places *frame_places;
    size_t red_zones; /* as in struct red_zone */
    char *red_zone_names;
};

/* Zero except (bytes_max). */
struct named {
    size_t bytes_max;
    /* (n) owns the contents of these images, unless the caller takes their
     * pointers and sets them to NULL. */
    struct named_image *images;
    size_t count, room;
    /* some addresses of the recording have no names in it, or had no room
     * here */
    bool partial;
    struct named_image next; /* the image whose addresses are being read */
    size_t bytes;            /* memory of (images) */
};

/* Read the next block, as named_write_all() made it. Returns 0; -1 with (e)
 * filled. After an error the earlier blocks remain valid. */
int named_take(struct named *n, const void *bytes, size_t size, struct err *e);

/* Release what (n) holds. */
void named_fini(struct named *n);

#endif
