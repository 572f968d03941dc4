/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changed between two sides, each of one or several runs? Pure: numbers
 * in, numbers out; which function is which was settled before (pairs.h).
 *
 * Shares add up to one, so that one function's loss is everybody's gain. So the
 * function whose odds changed the most significantly is taken out (before it
 * those that a side lacks), the shares of the others are computed of what
 * remains, and so on, until nothing that remains has changed beyond chance.
 * What was taken out is stated against that rest.
 *
 * How sure a share is follows from its weighted samples as in diagnose/share.h,
 * and, where a side has several runs, from how these differ. Benjamini and
 * Hochberg's procedure lets at most COMPARE_FALSE of the changes be false ones;
 * where nothing changed, it finds something in at most so many cases.
 */
#ifndef TPROF_DIFF_COMPARE_COMPARE_H
#define TPROF_DIFF_COMPARE_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "diff/compare/two_proportions.h"
#include "model/view.h"

#define COMPARE_FALSE   .05
#define COMPARE_POWER   .8
/* A function with less samples than this, both sides together, is not judged:
 * nothing could be said. */
#define COMPARE_SAMPLES 10

enum compare_verdict {
    COMPARE_SAME,    /* not changed beyond chance */
    COMPARE_CHANGED, /* against the rest */
    COMPARE_RARE,    /* has less than COMPARE_SAMPLES */
};

/* A share of something, on both sides. */
struct compare_share {
    double before, after;
    struct two_proportions_change of; /* after - before */
    double p; /* probability of such a difference by chance */
};

struct compare_row {
    enum compare_verdict verdict;
    /* In which it was taken out, or what it is inside of, from 1 on; 0: it was
     * not. */
    unsigned step;
    double q; /* (p), where it was judged, for the number of functions */
    struct compare_share all;  /* of everything */
    struct compare_share rest; /* of what did not change, and itself */
    /* Of a function that did not change, where none is inside of another: by
     * how much its share of the rest would have had to grow, to be found in
     * COMPARE_POWER of the cases. */
    double detectable;
};

/* As (inside): nothing is around it. */
#define COMPARE_TOP UINT32_MAX

/*
 * Functions may be inside others, as calls are inside their callers in a tree:
 * then what is outside has the amounts of all that is inside it, too. What is
 * taken out is no part of what it is inside of any more, and takes all with it
 * that is inside of it: of that it is then said what changed for itself, of all
 * of it at most COMPARE_FALSE falsely. What has something inside, and more than
 * half of the rest on both sides, is what others are measured by: it is not
 * said to change.
 */
struct compare_input {
    size_t functions;
    size_t runs[2]; /* before, after; at least 1 each */
    /* For each run, those of before first: the functions, and then one amount
     * that belongs to none of them. */
    const struct amount *amounts; /* without what is inside */
    /* What each function is inside of, which is before it, or COMPARE_TOP.
     * NULL: none is inside another. */
    const uint32_t *inside;
};

struct compare_result {
    size_t judged, changed;
    double rest[2]; /* share of all that did not change, before and after */
};

/* Fill (rows), one for each function. Returns 0; -1 if there is no memory. */
int compare(const struct compare_input *in, struct compare_row *rows,
            struct compare_result *result);

#endif
