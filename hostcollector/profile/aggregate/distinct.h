/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimates the number of different numbers, in 4 KiB of memory
 * (HyperLogLog). */
#ifndef TPROF_PROFILE_AGGREGATE_DISTINCT_H
#define TPROF_PROFILE_AGGREGATE_DISTINCT_H

#include <stdint.h>

#define DISTINCT_CLASSES 4096u

/* Zeroed: no number was added. */
struct distinct {
    uint8_t ranks[DISTINCT_CLASSES];
};

/* Add a number, by its (hash). */
void distinct_add(struct distinct *d, uint64_t hash);

/* The estimated number of different hashes, plus 5 %. The standard error of the
 * estimate is 1.6 %, so one of 1,000 results is below the true number. */
uint64_t distinct_most(const struct distinct *d);

#endif
