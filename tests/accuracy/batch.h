/* SPDX-License-Identifier: BSD-2-Clause */
/* The accuracy guest, run once for each seed: 1 and so on, as many as there are
 * runs, and no other. */
#ifndef BATCH_H
#define BATCH_H

#include "judge.h"

/*
 * The rate of all batches. A paced guest (see tests/guest/accuracy) begins each
 * loop by the clock, so what interrupts take from a loop delays the functions
 * late in it and shortens nothing but its wait: any sampler is then off by its
 * own cost. At this rate that is well below the sampling error of a batch.
 */
#define BATCH_RATE    "rate=10000 "
/* Work whose period is the mean interval; takes loops=N, too. */
#define BATCH_IN_STEP BATCH_RATE "paced=1 loop=100000 "

extern const char *const batch_functions[JUDGE_KINDS];

/* Runs (options) on (cores) cores, (runs) times, and fills (j), of which there
 * is one for each core. The truth is that of the first run: all do the same
 * work. */
void batch_run(const char *options, unsigned cores, const char *machine,
               unsigned runs, struct judge *j);

/* Judges JUDGE_RUNS runs on one core, and prints the verdict as (what). */
struct verdict batch_verdict(const char *what, const char *options);

/* One run with (seed): samples and, if (truth) is not NULL, instructions by
 * function, for each core. */
void batch_one(const char *options, unsigned cores, const char *machine,
               unsigned seed, uint64_t (*count)[JUDGE_KINDS],
               uint64_t (*truth)[JUDGE_KINDS]);

#endif
