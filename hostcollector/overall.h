/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up what many guests did: a line for each, and, of guests that run the
 * same image, everything together. */
#ifndef TPROF_OVERALL_H
#define TPROF_OVERALL_H

#include <stddef.h>

#include "render/render.h"
#include "util/err.h"

struct image_map;
struct overall_image_sum;

/* Zeroed: of no guest yet. */
struct overall_sum {
    struct overall_guest *guests;
    size_t guest_count, guest_room;
    struct overall_image_sum *images;
    size_t image_count, image_room;
    struct overall_image *shown;
};

/*
 * Add (guest), whose (busy) is worked out here. (report) is what it did, and
 * (map) where its images lie; both NULL if there is nothing to report on. What
 * they point to must outlive (o), but for the view. Returns 0; -1 with (e)
 * filled.
 */
int overall_add(struct overall_sum *o, const struct overall_guest *guest,
                const struct report *report, const struct image_map *map,
                struct err *e);

/* All that was added, in (*result), which lives as long as (o). Returns 0; -1
 * with (e) filled. */
int overall_finish(struct overall_sum *o, struct overall *result,
                   struct err *e);

/* Release what (o) holds. */
void overall_fini(struct overall_sum *o);

#endif
