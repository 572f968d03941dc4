/* SPDX-License-Identifier: BSD-2-Clause */
/* Is this the image that the guest runs? */
#ifndef TPROF_IMAGE_MATCH_IDENTITY_H
#define TPROF_IMAGE_MATCH_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diagnose/remarks.h"
#include "image/file/image.h"
#include "model/guest.h"
#include "util/err.h"

/* The answer is by build-id if both have one, else by the CRC of text and by
 * addresses. */
enum identity {
    IDENTITY_OTHER,    /* another build, or nothing in common */
    IDENTITY_DOUBTFUL, /* perhaps: nothing can tell, or much speaks against it
                        */
    IDENTITY_LIKELY,   /* all addresses agree, but not every byte of code */
    IDENTITY_SAME,
};

/* Is (img) the kernel of (g)? A kernel that patches its own code, or has data
 * in its text, is likely. */
enum identity identity_kernel(const struct guest *g, const struct image *img);

/* Is (img) the image that the guest has loaded as (map)? If only the names
 * agree, the answer is doubtful. */
enum identity identity_map(const struct guest_map *map,
                           const struct image *img);

/* Are the file names of (map) and (img) the same, but for their folders and
 * for .elf, .debug and the like behind them? */
bool identity_same_name(const struct guest_map *map, const struct image *img);

/*
 * Check that (img), which is taken for the kernel of (g), is that kernel.
 * (*slide) becomes how far the kernel was moved at load. The address of
 * tprof_anchor tells it, or SLIDE where the guest was sampled from outside;
 * else it is found by searching (img) for the guest's text checksum.
 *
 * Returns 0, with a warning in (remarks) if doubts remain; -1 with both
 * build-ids in (e) if they differ.
 */
int identity_check(const struct guest *g, const struct image *img,
                   uint64_t *slide, struct remarks *remarks, struct err *e);

/* "build 0123...", cut so that two of them fit a line, or "no build-id". */
#define IDENTITY_TEXT 48
const char *identity_text(char text[IDENTITY_TEXT], const uint8_t *id,
                          size_t len);

#endif
