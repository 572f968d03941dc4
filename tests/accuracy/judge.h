/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is a sampler unbiased, does it estimate well? Counts of samples by function
 * from runs that differ by seed alone, against executed instructions. The
 * limits, and why they are these, are in judge.c.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JUDGE_RUNS     20 /* of a batch, as a rule */
#define JUDGE_RUNS_MAX 40
#define JUDGE_KINDS    8

/* A run needs so many samples for the limits to mean something. */
#define JUDGE_SAMPLES_MIN 10000

struct judge {
    unsigned runs;
    /* Runs that are judged together, of other cores, too; 0: these alone. */
    unsigned family;
    uint64_t truth[JUDGE_KINDS];                 /* instructions */
    uint64_t count[JUDGE_RUNS_MAX][JUDGE_KINDS]; /* samples */
};

struct verdict {
    unsigned runs;
    uint64_t fewest;  /* samples of a run */
    double pooled_x2; /* Pearson, all runs together */
    double pooled_p;
    unsigned low_p;           /* runs whose own p is below 0.01 */
    double worst_tv;          /* total variation of a run, at most */
    double pooled_tv;         /* ... of all runs together */
    unsigned out_of_interval; /* shares too far from the truth for chance */
};

struct verdict judge(const struct judge *j);

bool verdict_unbiased(const struct verdict *v); /* T1 */
bool verdict_close(const struct verdict *v);    /* T2, runs of 10,000 */

/* T7: are (cores) cores of one machine unbiased together, and each of them?
 * Prints one line about all of them. */
bool verdicts_unbiased(const struct verdict *v, unsigned cores);

/* One line on stdout. */
void verdict_print(const char *what, const struct verdict *v);

#endif
