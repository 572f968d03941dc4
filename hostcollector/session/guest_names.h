/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names in a run's recording. They are written when the guest has ended, so
 * that the image files are not needed later. They are read when the run is a
 * report on a recording.
 */
#ifndef TPROF_SESSION_GUEST_NAMES_H
#define TPROF_SESSION_GUEST_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/pipeline.h"
#include "image/match/guest_images.h"
#include "image/match/images.h"
#include "image/names/red_zone.h"
#include "model/profile.h"
#include "recording/names/named.h"
#include "util/err.h"

/* Images that a recording names. Zeroed: none. */
struct guest_names {
    struct named named; /* its images belong to a struct images */
    /* the files of these images, in the same order */
    struct shared_image **files;
};

/* Read the names in the recording of (p) into (set), at most (bytes). Returns
 * 0, also if there are no names; -1 with (e) filled, which says what is wrong
 * with the names: no image was made. */
int guest_names_read(struct guest_names *n, const struct pipeline *p,
                     struct images *set, uint64_t bytes, struct err *e);

/* Return the bytes that the names take. */
uint64_t guest_names_bytes(const struct guest_names *n);

/* Returns true if the recording was already made without its kernel's file. */
bool guest_names_lack_kernel(const struct guest_names *n);

/* Add to (zone) the units of (file). */
void guest_names_red_zone(const struct guest_names *n,
                          struct shared_image *file, struct red_zone *zone);

/* Release what (n) holds, except the images in their set. */
void guest_names_fini(struct guest_names *n);

/* The names to write into a recording, and their sources. */
struct guest_names_job {
    struct guest_images *images;
    /* images of a recording, which may be among (images) */
    const struct guest_names *told;
    const struct profile *profile;
    bool partial; /* the profile lacks samples that the recording has */
    /* Members of struct named_write. */
    bool code, reads_sources;
    const char *folder;
    uint64_t memory;
};

/* Write the names into the recording of (p), which has ended. Returns 0; -1
 * with (e) filled. */
int guest_names_write(struct pipeline *p, const struct guest_names_job *job,
                      struct err *e);

#endif
