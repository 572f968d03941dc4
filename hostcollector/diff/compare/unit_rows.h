/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the time that each function takes for one unit of the guest's work,
 * on two sides of one or more runs each. These are no shares: if one function
 * gets faster, no other grows. Pure. */
#ifndef TPROF_DIFF_COMPARE_UNIT_ROWS_H
#define TPROF_DIFF_COMPARE_UNIT_ROWS_H

#include <stdbool.h>

#include "diff/compare/compare.h"

struct unit_row {
    double before, after; /* seconds of a unit, the mean of the runs */
    /* Both sides have it: after / before - 1, with its 95 % interval. Else
     * after alone has it, and these are INFINITY; or before, and they are -1;
     * or neither, and they are 0. */
    double change, low, high;
    double p;     /* probability of such a change by chance; 1: not judged */
    double q;     /* (p), for the number of functions that were judged */
    bool changed; /* beyond chance; q says so where both sides have it */
};

struct unit_rows_input {
    const struct compare_input *in;
    const struct compare_row *rows; /* of compare() */
    const struct amount *all;       /* by run: of all time, idle and busy */
    const double
        *tick_s; /* by run: seconds of a unit that a tick of (all) is */
};

/* Fill (rows), one for each function. Returns 0; -1 if there is no memory. */
int unit_rows(const struct unit_rows_input *of, struct unit_row *rows);

#endif
