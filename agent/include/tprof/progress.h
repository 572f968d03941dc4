/* SPDX-License-Identifier: BSD-2-Clause */
/* What a request costs: work that the kernel counts. A kernel includes tprof.h,
 * which includes this. */
#ifndef TPROF_PROGRESS_H
#define TPROF_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) /* the rest of the library is hidden */

/* Counts the kernel's work, for example the requests that it has answered. */
struct tprof_counter {
    /* Of what the units are, "requests" for example: 63 bytes count. It stays
     * as it is. */
    const char *name;
    uint64_t units; /* tprof_progress() adds to them; 0 at first */
};
#define TPROF_COUNTERS 8 /* that tprof_add_counter() takes */

/*
 * Has the collector told how much of that work was done while it sampled, so
 * that it shows what a unit costs. (counter) stays where it is for good. To be
 * called after tprof_init(), by one core at a time.
 *
 * Returns TPROF_OK; TPROF_ERR_NOT_INIT; TPROF_ERR_CONFIG if the counter has no
 * name; TPROF_ERR_MEMORY_SMALL if there are TPROF_COUNTERS others.
 */
int tprof_add_counter(const struct tprof_counter *counter);

/* (units) more are done. One instruction, on any core, in any context; also
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
