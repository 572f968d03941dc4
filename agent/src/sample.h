/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One tick becomes one record in the core's ring: the chain gets its id, and
 * id, leaf, time and lateness fit into one word nearly always.
 */
#ifndef TPROF_SAMPLE_H
#define TPROF_SAMPLE_H

#include "record.h"

/* Begins anew: new period (TSC ticks), depth, and an empty dictionary. */
void tprof_sample_begin(struct tprof_recorder *r, uint64_t now,
                        uint64_t period, uint32_t depth);

/* Writes (s) down, or counts why not. Called inside the core's tick. */
void tprof_sample_take(struct tprof_recorder *r, const struct tprof_sample *s);

/* Counts a tick that could not even look: (reason) from WIRE_COUNTER_*. */
void tprof_sample_drop(struct tprof_recorder *r, uint32_t reason,
                       uint64_t weight);

#endif
