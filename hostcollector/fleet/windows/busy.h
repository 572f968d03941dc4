/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the busy share of a guest's cores in the last seconds, from its
 * samples. A sample is idle if it lies after an instruction that sleeps in the
 * code of the guest's images (image/code/frame_place.h), as in a report. So
 * there is no share without the file of the guest's kernel.
 *
 * Guests may report images as often as they like. Files are matched to images
 * in busy_match() alone, for which the caller has time.
 */
#ifndef TPROF_FLEET_WINDOWS_BUSY_H
#define TPROF_FLEET_WINDOWS_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/match/images.h"
#include "model/events.h"

/* The share covers this many calls of busy_second(). */
#define BUSY_SECONDS 10u

/* Flag in the stack number of a sample whose code is unknown. The sample counts
 * as busy. */
#define BUSY_UNSEEN (1u << 31)

/* An image of the guest; all zero: unknown. */
struct busy_code {
    struct shared_image *file;
    struct frame_places *code;
    uint64_t slide;
};

struct busy_mapping;

/* Zeroed: no samples and no files. */
struct busy {
    /* Files that the guest may run. Their owner keeps them; busy_match() reads
     * them. The user has named the first (given). */
    struct shared_image **files;
    size_t file_count, file_room, given;

    struct guest *guest; /* its HELLO; NULL: none came */
    struct busy_code kernel;
    struct busy_mapping *maps; /* images that the guest has loaded */
    size_t map_count, map_room;
    bool unmatched; /* images came since the last busy_match() */
    /* the last leaf, and whether it is idle. Kept because an idle core has few
     * different leaves. */
    uint64_t last_leaf;
    bool last_idle;
    unsigned now; /* index of the current second */
    double all[BUSY_SECONDS], idle[BUSY_SECONDS]; /* TSC ticks */
};

/* Handle the events of struct events. Returns 0; -1 if there is no memory. */
int busy_hello(struct busy *b, enum hello_kind kind, const struct guest *g);
void busy_map(struct busy *b, const struct guest_map *map);
void busy_samples(struct busy *b, const struct sample_batch *batch);

/* Handle the end of the stream. Another one may follow. */
void busy_end(struct busy *b);

/* Match the guest's images with the files, which may take milliseconds. Until
 * then samples are ignored. */
void busy_match(struct busy *b);

/* Begin the next second. */
void busy_second(struct busy *b);

/* Set (*share), 0 to 1, to the busy part of the time of the last seconds'
 * samples. False if it is unknown. */
bool busy_share(const struct busy *b, double *share);

/* busy_images() is the number of the guest's images; image 0 is the kernel.
 * busy_file() is the file of image (i); NULL if it is unknown. */
size_t busy_images(const struct busy *b);
struct shared_image *busy_file(const struct busy *b, size_t i);

/* Release what (b) holds. */
void busy_fini(struct busy *b);

#endif
