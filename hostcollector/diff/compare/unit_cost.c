/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/compare/unit_cost.h"

#include <math.h>
#include <stdlib.h>

#include "diff/compare/statistics.h"

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

static const struct amount *amount_of(const struct unit_rows_input *of,
                                      size_t run, size_t function)
{
    return &of->in->amounts[run * (of->in->functions + 1) + function];
}

/* Returns the variance of a->time, which is a sum over samples. Each of these
 * samples could have been another sample of (all). */
static double variance(const struct amount *a, const struct amount *all)
{
    double p = all->time > 0 ? a->time / all->time : 0;

    return a->time_sq * (1 - p) * (1 - p) +
           fmax(all->time_sq - a->time_sq, 0) * p * p;
}

/* Returns the cost of (function) per unit on (side). */
static struct unit_cost cost_of(const struct unit_rows_input *of, int side,
                                size_t function)
{
    size_t from = side != 0 ? of->in->runs[0] : 0;
    struct unit_cost c = {.runs = of->in->runs[side]};
    double error_sq = 0;

    for (size_t run = from; run < from + c.runs; run++) {
        const struct amount *a = amount_of(of, run, function);
        double cost = a->time * of->tick_s[run];

        c.sum += cost;
        c.sum_sq += cost * cost;
        error_sq +=
            variance(a, &of->all[run]) * of->tick_s[run] * of->tick_s[run];
    }
    double mean = c.sum / (double)c.runs;

    if (mean > 0)
        c.error_sq = error_sq / mean / mean;
    return c;
}

/* Judge the change of a function that both sides have, by the logarithm of the
 * quotient of times. This logarithm is about normally distributed even with few
 * samples. */
static void state_change(const struct unit_rows_input *of,
                         const struct unit_cost *before,
                         const struct unit_cost *after, struct unit_row *row)
{
    struct unit_change c = unit_change_of(before, after);
    double df = (double)(of->in->runs[0] + of->in->runs[1]) - 2;
    double quotient = 1 + c.change, margin = c.margin / quotient;

    df = df >= 1 ? df : INFINITY;
    row->change = c.change;
    row->low = quotient * exp(-margin) - 1;
    row->high = quotient * exp(margin) - 1;
    if (margin > 0)
        row->p = tail_t(log(quotient) / margin * tail_t_quantile(.05, df), df);
}

static struct unit_row row_of(const struct unit_rows_input *of, size_t function)
{
    struct unit_cost before = cost_of(of, 0, function),
                     after = cost_of(of, 1, function);
    struct unit_row row = {.before = before.sum / (double)before.runs,
                           .after = after.sum / (double)after.runs,
                           .p = 1,
                           .q = 1};

    if (before.sum > 0 && after.sum > 0) {
        state_change(of, &before, &after, &row);
    } else if (before.sum > 0 || after.sum > 0) {
        row.change = before.sum > 0 ? -1 : INFINITY;
        row.low = row.high = row.change;
        row.changed = of->rows[function].verdict == COMPARE_CHANGED;
    }
    return row;
}

static int by_p(const void *a, const void *b)
{
    const struct unit_row *const *left = a, *const *right = b;

    return ((*left)->p > (*right)->p) - ((*left)->p < (*right)->p);
}

/* Correct the probabilities by Benjamini and Hochberg's procedure, like
 * compare(). */
static void judge_rows(struct unit_row **judged, size_t count)
{
    double least = 1;

    /* pointers are sorted. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    qsort(judged, count, sizeof judged[0], by_p);
    for (size_t i = count; i-- > 0;) {
        least = fmin(least, judged[i]->p * (double)count / (double)(i + 1));
        judged[i]->q = least;
        judged[i]->changed = least <= COMPARE_FALSE;
    }
}

int unit_rows(const struct unit_rows_input *of, struct unit_row *rows)
{
    struct unit_row **judged = calloc(of->in->functions + 1, sizeof(void *));
    size_t count = 0;

    if (judged == NULL)
        return -1;
    for (size_t i = 0; i < of->in->functions; i++) {
        rows[i] = row_of(of, i);
        if (of->rows[i].verdict == COMPARE_RARE)
            rows[i].p = 1;
        else if (rows[i].before > 0 && rows[i].after > 0)
            judged[count++] = &rows[i];
    }
    judge_rows(judged, count);
    free(judged);
    return 0;
}
