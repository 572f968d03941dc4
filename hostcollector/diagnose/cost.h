/* SPDX-License-Identifier: BSD-2-Clause */
/* Time that the guest's work did not get: the cost of the profiler, and the
 * time that the host took. */
#ifndef TPROF_DIAGNOSE_COST_H
#define TPROF_DIAGNOSE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

/* Time of the profiler's interrupts, as the guest measured it; or the time for
 * which a guest sampled from outside was stopped. */
struct cost {
    size_t cores;   /* selected cores whose cost is known; 0: ignore the rest */
    double tick;    /* mean time of an interrupt in TSC ticks */
    double longest; /* longest time of an interrupt in TSC ticks; 0: unknown */
    double share; /* part of these cores' time; less than 0: time is unknown */
    bool stood;   /* the guest was stopped; the cost is not part of its time */
    /* The cost exceeds the cores' time, or an interrupt took minutes. The
     * guest's figures are wrong: show no figure of the cost. */
    bool senseless;
};

struct cost cost_of(const struct profile *p);

/* Stolen time: the part of the cores' time for which the host did not run them.
 * The host reports it to the guest, and the guest to the collector. */
struct steal {
    size_t cores;  /* cores whose stolen time is known; 0: ignore the rest */
    double mean;   /* stolen share of these cores' time, 0 to 1 */
    double most;   /* stolen share of the core with the greatest share */
    uint32_t core; /* number of this core */
    /* A core reports more stolen time than twice its time. The guest's figures
     * are wrong, and the shares are limited to 1. */
    bool senseless;
};

struct steal cost_steal_of(const struct profile *p);

#endif
