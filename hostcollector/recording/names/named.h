/* SPDX-License-Identifier: BSD-2-Clause */
/* The names in a recording: read and written. */
#ifndef TPROF_RECORDING_NAMES_NAMED_H
#define TPROF_RECORDING_NAMES_NAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/file/image.h"
#include "util/err.h"

#define NAMED_IMAGES_MAX 256u

struct frame_places;
struct image_map;
struct profile;
struct symbolizer;

/* read.c: names of a recording -> images that give the same names as their
 * files. The bytes may be hostile. Their form and size are checked. A wrong
 * name only makes the report wrong. */

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
    /* some addresses have no names in the recording, or had no room here */
    bool partial;
    struct named_image next; /* the image whose addresses are being read */
    size_t bytes;            /* memory of (images) */
};

/* Read the next block, as named_write_all() made it. Returns 0; -1 with (e)
 * filled. After an error the earlier blocks remain valid. */
int named_take(struct named *n, const void *bytes, size_t size, struct err *e);

/* Release what (n) holds. */
void named_fini(struct named *n);

/* write.c: images + profile -> names for a recording. A report on the recording
 * then needs no image files. */

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
    bool partial;       /* (profile) lacks some samples of the recording */
    bool code;          /* write the code of the busiest functions, */
    bool reads_sources; /* and read source files for their lines */
    const char *folder; /* to search for source files first; NULL: none */
    uint64_t memory;    /* bytes that named_write_all() may allocate */
    void *context;
    /* Writes a block of names. Returns 0; -1 with (e) filled. */
    int (*keep)(void *context, const void *bytes, size_t size, struct err *e);
};

/* Look up the names of all addresses and pass them to (keep). Pointers that
 * symbolizers returned before may be invalid afterwards. Returns 0; -1 with
 * (e) filled. */
int named_write_all(const struct named_write *w, struct err *e);

#endif
