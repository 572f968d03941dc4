/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up what many guests did: a line for each, and, of guests that run the
 * same image, everything together. */
#ifndef TPROF_CMD_OVERALL_H
#define TPROF_CMD_OVERALL_H

#include "cmd/guest_run.h"
#include "render/render.h"
#include "util/err.h"

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
 * Add run (r), which must outlive (o); (v) is its view, NULL if it has none.
 * Returns 0; -1 with (e) filled.
 */
int overall_add(struct overall_sum *o, const struct guest_run *r,
                const struct view *v, struct err *e);

/* All that was added, in (*result), which lives as long as (o). Returns 0; -1
 * with (e) filled. */
int overall_finish(struct overall_sum *o, struct overall *result,
                   struct err *e);

/* Release what (o) holds. */
void overall_fini(struct overall_sum *o);

#endif
