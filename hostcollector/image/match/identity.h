/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides whether a file is an image that the guest runs. */
#ifndef TPROF_IMAGE_MATCH_IDENTITY_H
#define TPROF_IMAGE_MATCH_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diagnose/remarks.h"
#include "image/file/image.h"
#include "model/guest.h"
#include "util/err.h"

/* Build-ids decide if both sides have one. Otherwise the CRC of text and the
 * addresses decide. */
enum identity {
    IDENTITY_OTHER,    /* another build, or nothing in common */
    IDENTITY_DOUBTFUL, /* perhaps: nothing decides, or most evidence is against
                          it */
    IDENTITY_LIKELY,   /* all addresses are equal, but not every byte of code */
    IDENTITY_SAME,
};

/* Is (img) the kernel of (g)? The answer is at best "likely" for a kernel that
 * patches its own code or has data in its text. */
enum identity identity_kernel(const struct guest *g, const struct image *img);

/* Is (img) the image that the guest has loaded as (map)? The answer is
 * "doubtful" if only the names are equal. */
enum identity identity_map(const struct guest_map *map,
                           const struct image *img);

/* Are the file names of (map) and (img) equal, without folders and without
 * suffixes such as .elf and .debug? */
bool identity_same_name(const struct guest_map *map, const struct image *img);

/*
 * Check that (img) is the kernel of (g). Store in (*slide) how far the kernel
 * was moved at load. The slide comes from the address of tprof_anchor. If the
 * guest was sampled without an agent, it comes from SLIDE. Otherwise (img) is
 * searched for the guest's text checksum.
 *
 * Returns 0, with a warning in (remarks) if doubts remain; -1 with both
 * build-ids in (e) if they differ.
 */
int identity_check(const struct guest *g, const struct image *img,
                   uint64_t *slide, struct remarks *remarks, struct err *e);

/* Format "build 0123...", or "no build-id". Two such texts fit a line. */
#define IDENTITY_TEXT 48
const char *identity_text(char text[IDENTITY_TEXT], const uint8_t *id,
                          size_t len);

#endif
