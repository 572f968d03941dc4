/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each core did when: its time in equal slices of the run. Idle time is
 * known by the code in which cores sleep, so a time line needs the view.
 */
#ifndef TPROF_VIEW_TIMELINE_H
#define TPROF_VIEW_TIMELINE_H

#include <stddef.h>

#include "model/profile.h"
#include "model/view.h"

/* One slice of a core, in TSC ticks. What none of them tells is unknown: the
 * core was not sampled, or what it sent did not arrive. */
struct timeline_slice {
    double busy, idle;
    double unseen; /* VIEW_LENT and VIEW_REST */
    double late;   /* of busy: samples that came LATE_TICKS late or more */
    double lost;   /* intervals whose samples were lost, near here */
};

struct timeline {
    double from_s, slice_s; /* seconds since the profile's start */
    double slice_tsc;       /* length of a slice */
    size_t count;           /* of slices, and of cores as in the profile */
    size_t core_count;
    struct timeline_slice *slices; /* core by core */
};

/*
 * The time of (p), whose view is (v), from (from_s) to (to_s) in (count)
 * slices. A sample's time is that before the sample. NULL if there is no
 * memory; without slices if the guest's clock is not known.
 */
struct timeline *timeline_new(const struct profile *p, const struct view *v,
                              double from_s, double to_s, size_t count);

/* The same in slices of a round number of seconds (1, 2 or 5 times a power of
 * ten), (most) at most; the last one may reach behind (to_s). NULL if there is
 * no memory, or nothing to cut. */
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
