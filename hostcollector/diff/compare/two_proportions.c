/* SPDX-License-Identifier: BSD-2-Clause */
/* Score test, Newcombe's interval, and the change that the test detects. */

#include <math.h>
#include <stdbool.h>

#include "diagnose/share.h"
#include "diff/compare/statistics.h"

/* The pooled share of both sides. */
static double pooled(const struct two_proportions *s)
{
    return (s->n[0] * s->p[0] + s->n[1] * s->p[1]) / (s->n[0] + s->n[1]);
}

/* The test by counts: of the share, or of its complement if that is rarer. */
static double p_of_counts(const struct two_proportions *s, bool common)
{
    double a = s->n[0] * (common ? 1 - s->p[0] : s->p[0]);
    double b = s->n[1] * (common ? 1 - s->p[1] : s->p[1]);

    return tail_counts(a / s->spread, b / s->spread,
                       s->n[1] / (s->n[0] + s->n[1]));
}

double two_proportions_p(const struct two_proportions *s)
{
    if (!(s->n[0] > 0 && s->n[1] > 0))
        return 1;
    double p = pooled(s);
    double variance = s->spread * p * (1 - p) * (1 / s->n[0] + 1 / s->n[1]);

    if (!(variance > 0))
        return 1;
    double result = tail_t((s->p[1] - s->p[0]) / sqrt(variance), s->df);

    if (fmin(s->n[0], s->n[1]) / s->spread * fmin(p, 1 - p) <
        TWO_PROPORTIONS_FEW)
        result = fmax(result, p_of_counts(s, p > .5));
    return result;
}

struct two_proportions_change
two_proportions_interval(const struct two_proportions *s)
{
    double change = s->p[1] - s->p[0], below[2], above[2];

    if (!(s->n[0] > 0 && s->n[1] > 0))
        return (struct two_proportions_change){0, -1, 1};
    double z = tail_t_quantile(.05, s->df);

    for (int i = 0; i < 2; i++) {
        const struct share own = share_wilson(s->p[i], s->n[i] / s->spread, z);

        below[i] = own.p - own.low;
        above[i] = own.high - own.p;
    }
    return (struct two_proportions_change){
        change, fmax(change - hypot(below[1], above[0]), -1),
        fmin(change + hypot(above[1], below[0]), 1)};
}

/*
 * Would a growth of (p) by (change) be found, if chance subtracts (z) standard
 * errors? The difference between runs grows faster with the share than the
 * sampling error does, but slower than the share itself. So a power in between
 * is used.
 */
static bool is_detected(const struct two_proportions *s, double p,
                        double change, double z, double level)
{
    double after = p + change, grown = after * (1 - after) / (p * (1 - p));
    double spread = 1 + (s->spread - 1) * sqrt(fmax(grown, 1));
    double variance = s->spread * p * (1 - p) / s->n[0] +
                      spread * after * (1 - after) / s->n[1];
    double seen = fmax(change - z * sqrt(variance), 0);
    const struct two_proportions least = {
        {p, p + seen}, {s->n[0], s->n[1]}, (s->spread + spread) / 2, s->df};

    return two_proportions_p(&least) <= level;
}

/*
 * Returns the number of standard errors that chance subtracts in all but a part
 * (power) of the cases. The error is itself an estimate: Johnson and Welch's
 * approximation of the noncentral t, and the mean of an estimated standard
 * deviation.
 */
static double taken_off(double level, double power, double df)
{
    double z = tail_t_quantile(2 * (1 - power), INFINITY);

    if (isinf(df))
        return z;
    double t = tail_t_quantile(level, df);

    return z * sqrt(1 + t * t / (2 * df)) / (1 - 1 / (4 * df));
}

double two_proportions_detectable(const struct two_proportions *s, double level,
                                  double power)
{
    if (!(s->n[0] > 0 && s->n[1] > 0))
        return 1;
    double p = pooled(s), low = 0, high = 1 - p;

    if (!(p > 0))
        return high;
    double z = taken_off(level, power, s->df);

    if (!is_detected(s, p, high, z, level))
        return high;
    for (int i = 0; i < 30; i++) {
        double middle = (low + high) / 2;

        if (is_detected(s, p, middle, z, level))
            high = middle;
        else
            low = middle;
    }
    return high;
}
