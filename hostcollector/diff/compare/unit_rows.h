/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the time that each function takes for one unit of the guest's work,
 * on two sides of one or more runs each. These are no shares: if one function
 * gets faster, no other grows. Pure. */
#ifndef TPROF_DIFF_COMPARE_UNIT_ROWS_H
#define TPROF_DIFF_COMPARE_UNIT_ROWS_H

#include <stdbool.h>

#include "diff/compare/compare.h"

struct unit_row {
    double before, after; /* seconds for one unit, mean of the runs */
    /* after / before - 1, with its 95 % interval, if both sides have the
     * function. INFINITY if only "after" has it; -1 if only "before" has it; 0
     * if neither has it. */
    double change, low, high;
    double p;     /* probability of such a change by chance; 1: not judged */
    double q;     /* (p), corrected for the number of judged functions */
    bool changed; /* beyond chance; decided by (q) if both sides have the
                     function */
};

struct unit_rows_input {
    const struct compare_input *in;
    const struct compare_row *rows; /* of compare() */
    const struct amount *all; /* by run: amounts of all time, idle and busy */
    const double *tick_s; /* by run: seconds of a unit for each tick of (all) */
};

/* Fill (rows), one for each function. Returns 0; -1 if there is no memory. */
int unit_rows(const struct unit_rows_input *of, struct unit_row *rows);

#endif
