/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes both distributions by the incomplete beta function. */
#include "diff/compare/statistics.h"

#include <math.h>

#define STEPS   300
#define PRECISE 1e-14
#define TINY    1e-300

static double not_zero(double x)
{
    return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction of the incomplete beta function, DLMF 8.17.22, by
 * Lentz's method. */
static double beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), f = d;

    for (int m = 1; m <= STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd =
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

        d = 1 / not_zero(1 + even * d);
        c = not_zero(1 + even / c);
        f *= c * d;
        d = 1 / not_zero(1 + odd * d);
        c = not_zero(1 + odd / c);
        f *= c * d;
        if (fabs(c * d - 1) < PRECISE)
            break;
    }
    return f;
}

/* The regularized incomplete beta function I_x(a, b), for (a) and (b) above 0.
 */
static double beta(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x >= 1;
    double front =
        exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

    /* the fraction converges fast on this side of the mean */
    return x < (a + 1) / (a + b + 2)
               ? front * beta_fraction(x, a, b) / a
               : 1 - front * beta_fraction(1 - x, b, a) / b;
}

double tail_t(double t, double df)
{
    return isinf(df) ? erfc(fabs(t) / sqrt(2))
                     : beta(df / (df + t * t), df / 2, .5);
}

double tail_t_quantile(double p, double df)
{
    double low = 0, high = 1;

    while (tail_t(high, df) > p && high < 1e12)
        high *= 2;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;

        if (tail_t(middle, df) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double tail_counts(double a, double b, double share)
{
    double at_least = b > 0 ? beta(share, b, a + 1) : 1;
    double at_most = a > 0 ? beta(1 - share, a, b + 1) : 1;

    return fmin(1, 2 * fmin(at_least, at_most));
}
