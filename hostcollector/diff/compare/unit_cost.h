/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the cost of one unit of the guest's work, as a whole and by
 * function, on two sides of one or more runs each. Shares do not show whether
 * there is less work to do. Costs do. Pure. */
#ifndef TPROF_DIFF_COMPARE_UNIT_COST_H
#define TPROF_DIFF_COMPARE_UNIT_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "diff/compare/compare.h"

/* The runs of a side. Zeroed: none. */
struct unit_cost {
    size_t runs;
    double sum, sum_sq; /* of the runs' costs */
    double error_sq;    /* sum of the squared relative standard errors */
};

/* Add a run in which one unit took (cost) > 0. (error) is the standard error
 * divided by the cost. */
void unit_cost_add(struct unit_cost *c, double cost, double error);

struct unit_change {
    double before, after; /* the mean cost */
    double change,
        margin; /* after / before - 1, and half of its 95 % interval */
};

/* Returns the change between two sides, each with at least one run. The error
 * of a side with several runs includes their differences. */
struct unit_change unit_change_of(const struct unit_cost *before,
                                  const struct unit_cost *after);

/* The time that one function takes for one unit. These times are not shares: if
 * one function gets faster, no other function grows. */
struct unit_row {
    double before, after; /* seconds for one unit, mean of the runs */
    /* after / before - 1, with its 95 % interval, if both sides have the
     * function. INFINITY if only "after" has it; -1 if only "before" has it; 0
     * if neither has it. */
    double change, low, high;
    double p;     /* probability of such a change by chance; 1: not judged */
    double q;     /* (p), corrected for the number of judged functions */
    bool changed; /* beyond chance; if both sides have the function, (q)
                   * decides */
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
