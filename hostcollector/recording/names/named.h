/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes the names in a recording. */
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

/* read.c: names of a recording -> images that give the same names as the
 * images' files. The bytes may be hostile, so their form and size are checked.
 * A wrong name makes only the report wrong. */

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
    /* Images, whose contents (n) owns. A caller that takes over pointers of an
     * image sets them to NULL here. */
    struct named_image *images;
    size_t count, room;
    /* the recording lacks the names of some addresses, or (n) had no room for
     * them */
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
    /* index in the image map; UINT32_MAX: the map does not have the image */
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
    bool code;          /* write the code of the busiest functions */
    bool reads_sources; /* write their source lines, too, from source files */
    const char *folder; /* folder to search for source files first; NULL:
                         * none */
    uint64_t memory;    /* bytes that named_write_all() may allocate */
    void *context;
    /* Writes a block of names. Returns 0; -1 with (e) filled. */
    int (*keep)(void *context, const void *bytes, size_t size, struct err *e);
};

/* Look up the names of all addresses and pass the names to (keep). Pointers
 * that symbolizers returned before may be invalid afterwards. Returns 0; -1
 * with (e) filled. */
int named_write_all(const struct named_write *w, struct err *e);

#endif
