/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the cost of one unit of the guest's work on two sides of one or more
 * runs each. Shares do not show whether there is less work to do. Costs do.
 * Pure. */
#ifndef TPROF_DIFF_COMPARE_UNIT_COST_H
#define TPROF_DIFF_COMPARE_UNIT_COST_H

#include <stddef.h>

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

#endif
