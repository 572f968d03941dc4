/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the functions that changed between two sides of one or more runs each.
 * Pure: numbers in, numbers out. pairs.h has already matched the functions.
 * Shares add up to one, so every share grows if one function gets faster.
 * Therefore compare() first removes functions that one side lacks, then the
 * function whose odds changed most significantly. It recomputes the shares of
 * the rest, and repeats until the rest has not changed beyond chance. The
 * changes of removed functions are measured against this rest.
 * The error of a share follows from its weighted samples, as in
 * diagnose/share.h, and from the differences between the runs of a side.
 * Benjamini and Hochberg's procedure limits false changes to COMPARE_FALSE of
 * all reported changes.
 */
#ifndef TPROF_DIFF_COMPARE_COMPARE_H
#define TPROF_DIFF_COMPARE_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "diff/compare/statistics.h"
#include "model/view.h"

#define COMPARE_FALSE   .05
#define COMPARE_POWER   .8
/* Functions are not judged if both sides together have fewer samples. */
#define COMPARE_SAMPLES 10

enum compare_verdict {
    COMPARE_SAME,    /* not changed beyond chance */
    COMPARE_CHANGED, /* against the rest */
    COMPARE_RARE,    /* has less than COMPARE_SAMPLES: not judged */
};

/* A share on both sides, and its change. */
struct compare_share {
    double before, after;
    struct two_proportions_change of; /* after - before */
    double p; /* probability of such a difference by chance */
};

struct compare_row {
    enum compare_verdict verdict;
    /* Step in which the function, or a function around it, was removed, from 1
     * on; 0: not removed. */
    unsigned step;
    double q; /* (p) after correction for the number of functions */
    struct compare_share all; /* of everything */
    /* share of the unchanged functions and this function */
    struct compare_share rest;
    /* For a function that did not change, if no function is inside another:
     * growth of its share of the rest that the comparison finds with the
     * probability COMPARE_POWER. */
    double detectable;
};

/* Value of (inside) for a function that is inside no other. */
#define COMPARE_TOP UINT32_MAX

/*
 * Functions may be inside others, like calls are inside their callers in a
 * tree. The amounts of the outer function then include the amounts of the inner
 * ones. A removed function is subtracted from the functions around it, and the
 * functions inside it are removed with it. For each function inside, the result
 * says whether the function itself changed; at most COMPARE_FALSE of such
 * changes are false.
 *
 * If a function contains others and has more than half of the rest on both
 * sides, the others are measured against it, and it never counts as changed.
 */
struct compare_input {
    size_t functions;
    size_t runs[2]; /* runs before and after; at least 1 each */
    /* For each run, runs of before first: an amount for each function, and then
     * one amount that belongs to no function. */
    const struct amount *amounts; /* without the functions inside */
    /* For each function the one around it, which comes before it in the list;
     * or COMPARE_TOP. NULL: no function is inside another. */
    const uint32_t *inside;
};

struct compare_result {
    size_t judged, changed;
    double rest[2]; /* share of all functions that did not change, before and
                     * after */
};

/* Fill (rows), one for each function. Returns 0; -1 if there is no memory. */
int compare(const struct compare_input *in, struct compare_row *rows,
            struct compare_result *result);

#endif
