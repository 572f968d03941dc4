/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time lines: the time of each core in equal slices of the run, by activity.
 * Idle time is recognized by the function in which a core sleeps, so a time
 * line needs the view.
 */
#ifndef TPROF_VIEW_TIME_TIMELINE_H
#define TPROF_VIEW_TIME_TIMELINE_H

#include <stddef.h>

#include "model/profile.h"
#include "model/view.h"

/* One slice of a core, in TSC ticks. The rest of the slice is unknown: the core
 * was not sampled, or its samples did not arrive. */
struct timeline_slice {
    double busy, idle;
    double unseen; /* VIEW_LENT and VIEW_REST */
    double late;   /* part of (busy): samples that came LATE_TICKS late or
                    * more */
    double lost;   /* intervals whose samples were lost, near here */
};

struct timeline {
    double from_s, slice_s; /* seconds since the profile's start */
    double slice_tsc;       /* length of a slice */
    size_t count;           /* number of slices; the cores are those of the
                             * profile */
    size_t core_count;
    /* all slices of core 0, then of core 1, ... */
    struct timeline_slice *slices;
};

/*
 * Cut the time of (p) from (from_s) to (to_s) into (count) slices. (v) is the
 * view of (p). A sample stands for the time before it.
 *
 * Returns NULL if there is no memory; no slices if the rate of the guest's
 * clock is unknown.
 */
struct timeline *timeline_new(const struct profile *p, const struct view *v,
                              double from_s, double to_s, size_t count);

/*
 * Like timeline_new(), with slices of a round number of seconds (1, 2 or 5
 * times a power of ten), (most) at most. The last slice may end after (to_s).
 * Returns NULL if there is no memory, or no time to cut.
 */
struct timeline *timeline_round(const struct profile *p, const struct view *v,
                                double from_s, double to_s, double most);

/* Slice (slice) of p->cores[core]. */
static inline const struct timeline_slice *
timeline_at(const struct timeline *t, size_t core, size_t slice)
{
    return &t->slices[core * t->count + slice];
}

/* Release (t). NULL is allowed. */
void timeline_free(struct timeline *t);

#endif
