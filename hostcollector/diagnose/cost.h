/* SPDX-License-Identifier: BSD-2-Clause */
/* Cost of the profiler: the time of its interrupts as the guest measured it, or
 * the time for which a guest sampled from outside was stopped. */
#ifndef TPROF_DIAGNOSE_COST_H
#define TPROF_DIAGNOSE_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"

struct cost {
    size_t cores;   /* selected cores whose cost is known; 0: ignore the rest */
    double tick;    /* mean time of an interrupt in TSC ticks */
    double longest; /* longest time of an interrupt in TSC ticks; 0: unknown */
    double share; /* part of these cores' time; less than 0: time is unknown */
    bool stood;   /* the guest was stopped; the cost is not part of its time */
    /* The cost exceeds the cores' time, or an interrupt took minutes. The
     * guest's figures are wrong: show none of them. */
    bool senseless;
};

struct cost cost_of(const struct profile *p);

#endif
