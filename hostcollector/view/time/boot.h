/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The start of a guest that samples from boot (config.boot), in phases. A phase
 * ends when the kernel calls tprof_mark(). The guest's clock is 0 at the start
 * of the machine, so the length of the time before the first sample is known.
 */
#ifndef TPROF_VIEW_TIME_BOOT_H
#define TPROF_VIEW_TIME_BOOT_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/view.h"

/* Limit of functions that a report names for a core and phase */
#define BOOT_TOP 3u

/* One core in one phase. Times are TSC ticks. */
struct boot_core {
    double seen; /* time that the core's samples stand for */
    struct {
        uint32_t function; /* index of the view's function; VIEW_IDLE: the core
                            * slept */
        double time;
    } top[BOOT_TOP]; /* by falling time */
    size_t count;    /* number of functions in (top) */
};

struct boot_phase {
    const char *until;       /* name of the mark at its end; escape it */
    uint64_t from, to;       /* TSC */
    struct boot_core *cores; /* by index of profile.cores */
};

struct boot {
    uint64_t first; /* TSC of the first sample; nothing is known before */
    struct boot_phase phases[WIRE_PROGRESS_COUNTERS];
    size_t count;
};

/* Returns the start of (p), with its view (v). NULL: the guest has not sampled
 * from boot, the guest has booted twice, no mark follows the first sample, the
 * rate of the clock is not known, or there is no memory. */
struct boot *boot_new(const struct profile *p, const struct view *v);

/* Release (b). NULL is allowed. */
void boot_free(struct boot *b);

#endif
