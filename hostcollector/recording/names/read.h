/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of a recording -> images that answer as their files would. What is read
 * may lie: it is checked for form and bounded, and a lie gives wrong names and
 * nothing worse.
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

/* Zero but for (bytes_max). */
struct named {
    size_t bytes_max;
    /* What came is owned by (n), unless its pointers are taken and set to NULL.
     */
    struct named_image *images;
    size_t count, room;
    bool partial; /* some addresses of the recording have no names in it, or
                     none that have room here */
    struct named_image next; /* whose addresses come */
    size_t bytes;            /* of (images) */
};

/* Take the next block, as named_write_all() made it. Returns 0; -1 with (e)
 * filled: what came before is good. */
int named_take(struct named *n, const void *bytes, size_t size, struct err *e);

/* Release what (n) holds. */
void named_fini(struct named *n);

#endif
