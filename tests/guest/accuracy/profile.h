/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the accuracy guests are profiled: the agent on each core between the
 * marks of marks.h, its bytes to port 0xe9 (one-way, so that
 * a run repeats to the bit), memory=1, to memory, or, live=1, to a collector at
 * tprof.0.
 *
 * Options: agent=0 leaves the agent out, rate=HZ, depth=N, seed=N, always=1,
 * boot=N, memory=1, live=1, transport=vsock.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <tprof/tprof.h>

#include "profile_memory.h"

/* What the profiles of these guests have in common; change it before
 * profile_init(). Zeroed but for the options above. */
extern struct tprof_config profile_config;

/* Once, on core 0, before the other cores start. Ends the guest on errors. */
void profile_init(void);

/* On each core, around what is to be measured. Interrupts are on between
 * them. profile_begin() waits until this core samples. */
void profile_begin(void);
void profile_end(void);

/* On a core, before its profile_end(): sends what is sampled until now, where
 * that shall count as the profiler's cost. */
void profile_drain(void);

/* Once, on core 0, after the last profile_end(): all that was sampled has left
 * the guest when this returns. */
void profile_fini(void);

#endif
