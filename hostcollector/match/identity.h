/* SPDX-License-Identifier: BSD-2-Clause */
/* Is this the image that the guest runs? */
#ifndef TPROF_MATCH_IDENTITY_H
#define TPROF_MATCH_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diagnose/remarks.h"
#include "image/image.h"
#include "model/guest.h"
#include "util/err.h"

/* By build-id where both have one, else by the CRC of text. */
enum identity {
    IDENTITY_OTHER,    /* another build, or nothing speaks for it */
    IDENTITY_DOUBTFUL, /* nothing to be sure by */
    IDENTITY_SAME,
};

/* Is (img) the kernel of (g)? One that patches itself is doubtful. */
enum identity identity_kernel(const struct guest *g, const struct image *img);

/* Is (img) what the guest has loaded as (map)? A name alone is doubtful. */
enum identity identity_map(const struct guest_map *map,
                           const struct image *img);

/* Are the file names of (map) and (img) the same, but for their folders and
 * for .elf, .debug and the like behind them? */
bool identity_same_name(const struct guest_map *map, const struct image *img);

/*
 * Compare what (g) says of itself with (img), which is taken for its kernel.
 * (*slide) becomes how far that was moved at load: as tprof_anchor says, or, in
 * a file without symbols, where the guest's text is found in it.
 *
 * Returns 0, with a warning in (remarks) where doubts remain; -1 with (e)
 * naming both build-ids if they differ.
 */
int identity_check(const struct guest *g, const struct image *img,
                   uint64_t *slide, struct remarks *remarks, struct err *e);

/* "build 0123...", cut to what fits a line twice, or "no build-id". */
#define IDENTITY_TEXT 48
const char *identity_text(char text[IDENTITY_TEXT], const uint8_t *id,
                          size_t len);

#endif
