/* SPDX-License-Identifier: BSD-2-Clause */
/* What the profiler's interrupt costs, as the guest measures it; or how long a
 * guest stood still that was sampled from outside. */
#ifndef TPROF_DIAGNOSE_COST_H
#define TPROF_DIAGNOSE_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"

struct cost {
    size_t cores;   /* selected, for which it is known; 0: ignore the rest */
    double tick;    /* TSC ticks that it takes on average, */
    double longest; /* and at most; 0: not told */
    double share;   /* of these cores' time; less than 0: time is not known */
    bool stood;     /* outside that time: the guest stood still */
    /* It took more than all of the time, or a tick took minutes: the guest is
     * wrong, and nothing of this should be shown. */
    bool senseless;
};

struct cost cost_of(const struct profile *p);

#endif
