/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Latency: the functions that keep the other cores waiting. Each busy sample
 * counts its time divided by the number of cores that were busy at that moment.
 * Code that runs alone counts in full. Code that runs on four cores at once
 * counts a quarter on each core.
 *
 * The samples of the other cores show which cores were busy. Each sample stands
 * for the time before it. Changes within one interval are therefore
 * averaged.
 */
#ifndef TPROF_VIEW_TIME_LATENCY_H
#define TPROF_VIEW_TIME_LATENCY_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"
#include "model/view.h"

/* Latency of one function: amount.time is the divided time. */
struct latency_sum {
    struct amount self;  /* the function is innermost */
    struct amount total; /* the function is anywhere in the stack */
};

struct latency {
    struct amount whole; /* of all busy samples */
    /* of the view's functions, by number */
    struct latency_sum *functions;
    bool cut; /* memory ended the log of samples, so later samples are left
               * out */
};

/* Compute the latency of the selected samples of (p), with its view (v).
 * Returns NULL if there is no memory. */
struct latency *latency_new(const struct profile *p, const struct view *v);

/* Release (l). NULL is allowed. */
void latency_free(struct latency *l);

#endif
