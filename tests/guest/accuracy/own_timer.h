/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sampling timer of the guest's own, which calls tprof_tick(): what a
 * profiler would do wrong, so that a test can show that it would notice.
 */
#ifndef OWN_TIMER_H
#define OWN_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Option control=...: `fixed` ticks at a fixed rate, `jitter` at intervals of
 * U[0.875, 1.125] of the mean, `random` of U[0.5, 1.5] as the agent's own, and
 * `skid` as random, but lying (see own_timer_boundary()). False: none of them,
 * the timer is the agent's. Before profile_init(), whose config it changes.
 */
bool own_timer_init(void);

/* Start and stop the calling core's. One core only. */
void own_timer_start(void);
void own_timer_stop(void);

/* For `skid`: samples of the next (ns) belong, it says, to (function). */
void own_timer_boundary(uintptr_t function, uint64_t ns);

#endif
