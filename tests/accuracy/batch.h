/* SPDX-License-Identifier: BSD-2-Clause */
/* The accuracy guest, run once for each seed from 1 to 20 and no other. */
#ifndef BATCH_H
#define BATCH_H

#include "judge.h"

/*
 * Rate at which the guest's paced loops of 25 us are in step with the mean
 * interval. Its options must give at least 10,000 samples in the eight
 * functions: a paced loop spends 0.86 of its time there.
 */
#define BATCH_RATE    "rate=40000 "
#define BATCH_STEP_NS 25000

extern const char *const batch_functions[JUDGE_KINDS];

/* Runs (options) on (cores) cores and fills (j), of which there is one for
 * each core. The truth is that of the first run: all do the same work. */
void batch_run(const char *options, unsigned cores, const char *machine,
               struct judge *j);

/* One run with (seed): samples and, if (truth) is not NULL, instructions by
 * function, for each core. */
void batch_one(const char *options, unsigned cores, const char *machine,
               unsigned seed, uint64_t (*count)[JUDGE_KINDS],
               uint64_t (*truth)[JUDGE_KINDS]);

#endif
