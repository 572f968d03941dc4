/* SPDX-License-Identifier: BSD-2-Clause */
/* What a unit of the guest's work costs, on two sides of one or several runs.
 * Shares cannot tell whether there is less to do; this can. Pure. */
#ifndef TPROF_DIFF_COMPARE_UNIT_COST_H
#define TPROF_DIFF_COMPARE_UNIT_COST_H

#include <stddef.h>

/* The runs of a side. Zeroed: none. */
struct unit_cost {
    size_t runs;
    double sum, sum_sq; /* of the runs' costs */
    double error_sq; /* sum of squares: standard error of each, by its cost */
};

/* Add a run in which a unit took (cost) > 0, which is known to (error), the
 * standard error by the cost. */
void unit_cost_add(struct unit_cost *c, double cost, double error);

struct unit_change {
    double before, after;  /* the mean cost */
    double change, margin; /* after / before - 1; the 95 % interval's half */
};

/* Of sides with one run at least. Where a side has several, how these differ
 * counts, and never less than the errors. */
struct unit_change unit_change_of(const struct unit_cost *before,
                                  const struct unit_cost *after);

#endif
