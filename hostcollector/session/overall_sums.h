/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the samples of many guests: one line for each guest, and one profile
 * for all guests that run the same image. */
#ifndef TPROF_SESSION_OVERALL_SUMS_H
#define TPROF_SESSION_OVERALL_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "report/render.h"
#include "util/err.h"

struct image_map;
struct overall_image_sum;

/* Zeroed: no guest was added yet. */
struct overall_sum {
    struct overall_guest *guests;
    size_t guest_count, guest_room;
    struct overall_image_sum *images;
    size_t image_count, image_room;
    struct overall_image *shown;
};

/*
 * Add (guest), whose member (busy) is filled in here. (report) is the guest's
 * report, and (map) has the addresses of its images. Both are NULL if there is
 * nothing to report. All that (report) points to, except the view, must outlive
 * (o). Returns 0; -1 with (e) filled.
 */
int overall_add(struct overall_sum *o, const struct overall_guest *guest,
                const struct report *report, const struct image_map *map,
                struct err *e);

/* Fill (*result) with the sums over all guests, which take (memory) bytes at
 * most. It lives as long as (o). Returns 0; -1 with (e) filled. */
int overall_finish(struct overall_sum *o, uint64_t memory,
                   struct overall *result, struct err *e);

/* Release what (o) holds. */
void overall_fini(struct overall_sum *o);

#endif
