/* SPDX-License-Identifier: BSD-2-Clause */
/* Owns nothing; see stats.h. */
#include "stats.h"

#include <math.h>

#define TERMS_MAX 10000
#define PRECISION 1e-15

/* P(a, x), the regularised lower gamma function, by its series; x < a + 1. */
static double gamma_series(double a, double x)
{
    double term = 1 / a;
    double sum = term;

    for (int n = 1; n < TERMS_MAX && term > sum * PRECISION; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum * exp(a * log(x) - x - lgamma(a));
}

/* Q(a, x) = 1 - P(a, x), by its continued fraction (Lentz); x >= a + 1. */
static double gamma_fraction(double a, double x)
{
    double b = x + 1 - a;
    double c = 1e300;
    double d = 1 / b;
    double value = d;
    double step = 0;

    for (int n = 1; n < TERMS_MAX && fabs(step - 1) > PRECISION; n++) {
        double an = n * (a - n);

        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        step = c * d;
        value *= step;
    }
    return value * exp(a * log(x) - x - lgamma(a));
}

double stats_chi2_p(double x2, unsigned df)
{
    double a = df / 2.0;
    double x = x2 / 2;

    if (x <= 0)
        return 1;
    return x < a + 1 ? 1 - gamma_series(a, x) : gamma_fraction(a, x);
}

double stats_normal_z(double p)
{
    double low = -40;
    double high = 40;

    for (int i = 0; i < 200; i++) { /* the tail falls as z grows */
        double z = (low + high) / 2;

        if (erfc(z / sqrt(2)) / 2 > p)
            low = z;
        else
            high = z;
    }
    return low;
}

struct stats_interval stats_wilson(uint64_t hits, uint64_t n, double alpha)
{
    double z = stats_normal_z(alpha / 2);
    double size = (double)n;
    double p = (double)hits / size;
    double middle = (p + z * z / (2 * size)) / (1 + z * z / size);
    double half = z / (1 + z * z / size) *
                  sqrt(p * (1 - p) / size + z * z / (4 * size * size));

    return (struct stats_interval){middle - half, middle + half};
}

/* The chance of exactly (hits). */
static double binomial(double hits, double n, double p)
{
    return exp(lgamma(n + 1) - lgamma(hits + 1) - lgamma(n - hits + 1) +
               hits * log(p) + (n - hits) * log1p(-p));
}

double stats_binomial_p(uint64_t hits, uint64_t n, double p)
{
    double more = 0;
    double less = 0;

    for (uint64_t i = 0; i <= n; i++) {
        double chance = binomial((double)i, (double)n, p);

        more += i >= hits ? chance : 0;
        less += i <= hits ? chance : 0;
    }
    return fmin(1, 2 * fmin(more, less));
}

static double sum(const uint64_t *v, size_t k)
{
    double total = 0;

    for (size_t i = 0; i < k; i++)
        total += (double)v[i];
    return total;
}

double stats_pearson_x2(const uint64_t *count, const uint64_t *truth, size_t k)
{
    double scale = sum(count, k) / sum(truth, k);
    double x2 = 0;

    for (size_t i = 0; i < k; i++) {
        double expected = (double)truth[i] * scale;

        x2 += ((double)count[i] - expected) * ((double)count[i] - expected) /
              expected;
    }
    return x2;
}

double stats_pearson_p(const uint64_t *count, const uint64_t *truth, size_t k)
{
    return stats_chi2_p(stats_pearson_x2(count, truth, k), (unsigned)k - 1);
}

double stats_total_variation(const uint64_t *count, const uint64_t *truth,
                             size_t k)
{
    double counts = sum(count, k);
    double truths = sum(truth, k);
    double distance = 0;

    for (size_t i = 0; i < k; i++)
        distance += fabs((double)count[i] / counts - (double)truth[i] / truths);
    return distance / 2;
}
