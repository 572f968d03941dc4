/* SPDX-License-Identifier: BSD-2-Clause */
/* Images + profile -> names for a recording. A report on the recording then
 * needs no image files. */
#ifndef TPROF_RECORDING_NAMES_WRITE_H
#define TPROF_RECORDING_NAMES_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/file/image.h"
#include "util/err.h"

struct image_map;
struct profile;

/* One image file. */
struct named_source {
    /* index in the image map; UINT32_MAX: the file is none of its images */
    uint32_t number;
    bool is_kernel;
    const struct image *image;
    /* Paths to be kept instead of those of (image). (debug_path) may be
     * NULL. */
    const char *path, *debug_path;
    const struct image_sum *sums; /* sums of text that identify the file */
    size_t sum_count;             /* at most NAMED_SUMS_MAX */
    size_t red_zones;             /* as in struct red_zone */
    const char *red_zone_names;
};

struct named_write {
    const struct profile *profile;
    const struct image_map *image_map;
    const struct named_source *sources;
    size_t source_count;
    bool partial;    /* (profile) lacks some samples of the recording */
    uint64_t memory; /* bytes that named_write_all() may allocate */
    void *context;
    /* Writes a block of names. Returns 0; -1 with (e) filled. */
    int (*keep)(void *context, const void *bytes, size_t size, struct err *e);
};

/* Look up the names of all addresses and pass them to (keep). Pointers that
 * symbolizers returned before may be invalid afterwards. Returns 0; -1 with
 * (e) filled. */
int named_write_all(const struct named_write *w, struct err *e);

#endif
