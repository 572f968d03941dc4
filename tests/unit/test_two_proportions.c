/* SPDX-License-Identifier: BSD-2-Clause */
/* Two shares: the test, the interval and what they are made of, against tables
 * and against sums. */

#include <math.h>
#include <stdint.h>

#include "check.h"
#include "diff/compare/statistics.h"

static int near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

static struct two_proportions of(double a, double m, double b, double n)
{
    return (struct two_proportions){{a / m, b / n}, {m, n}, 1, INFINITY};
}

TEST(quantiles_are_those_of_tables) /* catches: a wrong tail, one-sided ones */
{
    static const struct {
        double df, p, t;
    } rows[] = {{1, .05, 12.7062},       {4, .05, 2.7764},
                {10, .05, 2.2281},       {10, .01, 3.1693},
                {30, .001, 3.646},       {120, .05, 1.9799},
                {INFINITY, .05, 1.9600}, {INFINITY, .001, 3.2905}};

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(near(tail_t_quantile(rows[i].p, rows[i].df), rows[i].t, .0001));
        CHECK(near(tail_t(rows[i].t, rows[i].df), rows[i].p, .0001));
    }
    CHECK(near(tail_t(0, 5), 1, 1e-12));
    CHECK(near(tail_t_quantile(1, 5), 0, 1e-9));
}

/* P(K >= k) of (n) events, each with probability (p), added up. */
static double binomial_tail(unsigned k, unsigned n, double p)
{
    double sum = 0;

    for (unsigned i = k; i <= n; i++)
        sum += exp(lgamma(n + 1.) - lgamma(i + 1.) - lgamma(n - i + 1.)) *
               pow(p, i) * pow(1 - p, n - i);
    return sum;
}

TEST(uneven_counts_are_as_rare_as_the_sum_says)
{
    for (unsigned n = 1; n < 40; n++)
        for (unsigned k = 0; k <= n; k++) {
            double high = binomial_tail(k, n, .3);
            double low = 1 - binomial_tail(k + 1, n, .3);
            double p = tail_counts(n - k, k, .3);

            CHECK(near(p, fmin(1, 2 * fmin(low, high)), 1e-9));
        }
}

TEST(
    interval_is_newcombes) /* Statistics in Medicine 17, 1998, 873: method 10 */
{
    static const struct {
        double a, m, b, n, low, high;
    } rows[] = {{56, 70, 48, 80, .0524, .3339},
                {9, 10, 3, 10, .1705, .8090},
                {5, 56, 0, 29, -.0381, .1926},
                {10, 10, 0, 10, .6075, 1.0000}};

    for (unsigned i = 0; i < 4; i++) {
        struct two_proportions s =
            of(rows[i].b, rows[i].n, rows[i].a, rows[i].m);
        struct two_proportions_change c = two_proportions_interval(&s);

        CHECK(near(c.low, rows[i].low, .00005));
        CHECK(near(c.high, rows[i].high, .00005));
    }
}

/* Toro's SysThreadSwitch stored every register, then those that a call keeps:
 * 64, 35, 33 and 24 samples became 8, 47, 58 and 10. */
TEST(write_portb_grew_of_all_and_not_of_the_rest)
{
    struct two_proportions thread_switch = of(64, 156, 8, 123);
    struct two_proportions scheduling = of(33, 156, 58, 123);
    struct two_proportions portb = of(35, 156, 47, 123);
    struct two_proportions portb_of_rest = of(35, 156 - 64, 47, 123 - 8);

    CHECK(near(thread_switch.p[0], .410, .0005));
    CHECK(near(thread_switch.p[1], .065, .0005));
    CHECK(two_proportions_p(&thread_switch) < 1e-9);
    CHECK(two_proportions_p(&scheduling) < 1e-5);
    CHECK(near(portb.p[0], .224, .0005) && near(portb.p[1], .382, .0005));
    CHECK(near(two_proportions_p(&portb), .0041, .00005));
    CHECK(near(portb_of_rest.p[0], .380, .0005));
    CHECK(near(portb_of_rest.p[1], .409, .0005));
    CHECK(near(two_proportions_p(&portb_of_rest), .680, .0005));
}

TEST(few_samples_are_judged_by_their_counts)
{
    /* 1 of 100 and 0 of 1,000: the normal approximation says p = 0.002, but one
     * event falls on the smaller side in 1 of 11 cases */
    struct two_proportions s = of(1, 100, 0, 1000);

    CHECK(near(two_proportions_p(&s), 2. / 11, 1e-9));

    /* the same of the complement */
    struct two_proportions t = of(99, 100, 1000, 1000);

    CHECK(near(two_proportions_p(&t), 2. / 11, 1e-9));
}

TEST(nothing_sampled_says_nothing)
{
    struct two_proportions none = {{0, .5}, {0, 100}, 1, INFINITY};
    struct two_proportions_change c = two_proportions_interval(&none);

    CHECK(two_proportions_p(&none) == 1);
    CHECK(c.change == 0 && c.low == -1 && c.high == 1);
    CHECK(two_proportions_detectable(&none, .05, .8) == 1);
}

TEST(detectable_change_is_that_of_textbooks)
{
    /* two proportions, two-sided 5 %, power 80 %: 10 % against 15 % takes 686
     * a side (Fleiss 1981 without correction: 685.6) */
    struct two_proportions s = {{.1, .1}, {686, 686}, 1, INFINITY};
    double growth = two_proportions_detectable(&s, .05, .8);

    CHECK(near(growth, .05, .0011));
    /* four times as many see half of it, and a stricter level less */
    s.n[0] = s.n[1] = 4 * 686;
    CHECK(near(two_proportions_detectable(&s, .05, .8), .0245, .001));
    CHECK(two_proportions_detectable(&s, .001, .8) > .03);
}
