/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How busy a guest's cores have been in the last seconds: samples in, a share
 * out. Idle is what lies behind hlt or mwait in the code of the guest's images
 * (image/code/frame_place.h), as in a report; so there is no share of a guest
 * whose kernel is none of the files that are at hand.
 *
 * Guests tell what they like, as often as they like: which file is whose image
 * is found out in busy_match() alone, for which the caller has time.
 */
#ifndef TPROF_FLEET_WINDOWS_BUSY_H
#define TPROF_FLEET_WINDOWS_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/match/images.h"
#include "model/events.h"

/* The share is of so many calls of busy_second(). */
#define BUSY_SECONDS 10u

/* In the number of a sample's stack: nobody saw what ran, so it is busy. */
#define BUSY_UNSEEN (1u << 31)

/* An image of the guest's; all zero: not known. */
struct busy_code {
    struct shared_image *file;
    struct frame_places *code;
    uint64_t slide;
};

struct busy_mapping;

/* Zeroed: nothing came, and there are no files. */
struct busy {
    /* That it may run, of their owner; read by busy_match(). The user gave the
     * first (given) of them. */
    struct shared_image **files;
    size_t file_count, file_room, given;

    struct guest *guest; /* its HELLO; NULL: none came */
    struct busy_code kernel;
    struct busy_mapping *maps; /* what it has loaded */
    size_t map_count, map_room;
    bool unmatched;     /* since these came */
    uint64_t last_leaf; /* and whether that is idle: an idle core has but few */
    bool last_idle;
    unsigned now;                                 /* of these seconds */
    double all[BUSY_SECONDS], idle[BUSY_SECONDS]; /* TSC ticks */
};

/* As in struct events. Returns 0; -1 if there is no memory. */
int busy_hello(struct busy *b, enum hello_kind kind, const struct guest *g);
void busy_map(struct busy *b, const struct guest_map *map);
void busy_samples(struct busy *b, const struct sample_batch *batch);

/* The stream has ended, and another one may come. */
void busy_end(struct busy *b);

/* Find the guest's images among the files, which may take milliseconds; until
 * then samples are passed over. */
void busy_match(struct busy *b);

/* Another second begins. */
void busy_second(struct busy *b);

/* Set (*share), 0 to 1, of the time that samples of the last seconds stand for.
 * False: it is not known. */
bool busy_share(const struct busy *b, double *share);

/* The file of the guest's image (i), of which the kernel's is 0; NULL: that is
 * not known. */
size_t busy_images(const struct busy *b);
struct shared_image *busy_file(const struct busy *b, size_t i);

/* Release what (b) holds. */
void busy_fini(struct busy *b);

#endif
