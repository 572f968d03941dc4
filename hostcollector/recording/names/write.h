/* SPDX-License-Identifier: BSD-2-Clause */
/* Images + profile -> names for a recording: what a report asks of the files,
 * asked now. */
#ifndef TPROF_RECORDING_NAMES_WRITE_H
#define TPROF_RECORDING_NAMES_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/file/image.h"
#include "util/err.h"

struct image_map;
struct profile;

/* A file that was given. */
struct named_source {
    uint32_t number; /* in the image map; UINT32_MAX: none of its images */
    bool is_kernel;
    const struct image *image;
    /* To be kept, instead of those of (image); (debug_path) may be NULL. */
    const char *path, *debug_path;
    const struct image_sum *sums; /* of text that identifies it */
    size_t sum_count;             /* at most NAMED_SUMS_MAX */
    size_t red_zones;             /* as in struct red_zone */
    const char *red_zone_names;
};

struct named_write {
    const struct profile *profile;
    const struct image_map *image_map;
    const struct named_source *sources;
    size_t source_count;
    bool partial;    /* (profile) lacks samples that the recording has */
    uint64_t memory; /* bytes that may be taken */
    void *context;
    /* Keep a block of names. Returns 0; -1 with (e) filled. */
    int (*keep)(void *context, const void *bytes, size_t size, struct err *e);
};

/* Hand the names of all addresses to (keep). What symbolizers handed out before
 * may be gone then. Returns 0; -1 with (e) filled. */
int named_write_all(const struct named_write *w, struct err *e);

#endif
