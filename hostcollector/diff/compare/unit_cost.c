/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes a quotient of means, and its error from the errors of both means. */
#include "diff/compare/unit_cost.h"

#include <math.h>

#include "diff/compare/beta_tail.h"

void unit_cost_add(struct unit_cost *c, double cost, double error)
{
    c->runs++;
    c->sum += cost;
    c->sum_sq += cost * cost;
    c->error_sq += error * error;
}

static double mean(const struct unit_cost *c)
{
    return c->sum / (double)c->runs;
}

/* The sum of squared distances of the runs from their mean, divided by the
 * squared mean. */
static double squares(const struct unit_cost *c)
{
    double m = mean(c);

    return fmax(c->sum_sq / m / m - (double)c->runs, 0);
}

struct unit_change unit_change_of(const struct unit_cost *before,
                                  const struct unit_cost *after)
{
    double b = (double)before->runs, a = (double)after->runs, df = b + a - 2;
    double variance = before->error_sq / b / b + after->error_sq / a / a;
    double quotient = mean(after) / mean(before);

    if (df >= 1)
        variance = fmax(variance, (squares(before) + squares(after)) / df *
                                      (1 / b + 1 / a));
    return (struct unit_change){
        .before = mean(before),
        .after = mean(after),
        .change = quotient - 1,
        .margin = quotient * sqrt(variance) *
                  tail_t_quantile(.05, df >= 1 ? df : INFINITY),
    };
}
