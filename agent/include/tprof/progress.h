/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of the kernel's work, from which the report computes the cost of a
 * request, and marks of the kernel's start. A kernel includes tprof.h, which
 * includes this file. */
#ifndef TPROF_PROGRESS_H
#define TPROF_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) /* the rest of the library is hidden */

/* A counter of the kernel's work, for example of the requests that it has
 * answered */
struct tprof_counter {
    /* The name of the units, for example "requests". At most 63 bytes are used.
     * Must not change. */
    const char *name;
    uint64_t units; /* added by tprof_progress(); 0 at first */
};
#define TPROF_COUNTERS 8 /* the limit of counters and marks */

/*
 * Makes the collector show the cost of a unit: the agent sends the number of
 * units that were done while it sampled. (counter) must stay at its address for
 * ever. Call this after tprof_init(), on one core at a time.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_NOT_INIT;
 * TPROF_ERR_CONFIG: the counter has no name;
 * TPROF_ERR_MEMORY_SMALL: there are TPROF_COUNTERS others.
 */
int tprof_add_counter(const struct tprof_counter *counter);

/*
 * Marks this moment of the kernel's start with (name), for example "ready". The
 * report of a guest with config.boot shows the time up to each mark. (name)
 * must not change. Call this after tprof_init(), on one core at a time.
 *
 * Returns the same values as tprof_add_counter(). Counters and marks share the
 * limit TPROF_COUNTERS.
 */
int tprof_mark(const char *name);

/* Counts (units) more. One instruction, on any core, in any context, also
 * before tprof_add_counter(). */
static inline void tprof_progress(struct tprof_counter *counter, uint64_t units)
{
    __atomic_fetch_add(&counter->units, units, __ATOMIC_RELAXED);
}

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
