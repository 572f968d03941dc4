/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics against published values: a wrong p-value would let a biased
 * sampler pass, or a good one fail. */
#include <math.h>

#include "check.h"
#include "stats.h"

static int near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

/* The 5 %, 1 % and 0.1 % points of the usual table (Abramowitz and Stegun,
 * table 26.8), and two that have a closed form: exp(-x/2) for 2 degrees. */
TEST(chi_square_tail_is_that_of_the_tables)
{
    CHECK(near(stats_chi2_p(3.841459, 1), 0.05, 1e-7));
    CHECK(near(stats_chi2_p(6.634897, 1), 0.01, 1e-7));
    CHECK(near(stats_chi2_p(14.067140, 7), 0.05, 1e-7));
    CHECK(near(stats_chi2_p(18.475307, 7), 0.01, 1e-7));
    CHECK(near(stats_chi2_p(24.321886, 7), 0.001, 1e-8));
    CHECK(near(stats_chi2_p(124.342113, 100), 0.05, 1e-7));
    CHECK(near(stats_chi2_p(1, 2), exp(-0.5), 1e-12));
    CHECK(near(stats_chi2_p(60, 2), exp(-30), 1e-22));
    CHECK(stats_chi2_p(0, 7) == 1);
}

TEST(normal_quantile_is_that_of_the_tables)
{
    CHECK(near(stats_normal_z(0.5), 0, 1e-9));
    CHECK(near(stats_normal_z(0.025), 1.959964, 1e-6));
    CHECK(near(stats_normal_z(0.005), 2.575829, 1e-6));
    CHECK(near(stats_normal_z(0.0005), 3.290527, 1e-6));
}

/* Newcombe (Statistics in Medicine 17, 1998), table I, method 3. */
TEST(wilson_interval_is_newcombes)
{
    struct stats_interval a = stats_wilson(81, 263, 0.05);
    struct stats_interval b = stats_wilson(15, 148, 0.05);
    struct stats_interval c = stats_wilson(0, 20, 0.05);
    struct stats_interval d = stats_wilson(1, 29, 0.05);

    CHECK(near(a.low, 0.2553, 5e-5) && near(a.high, 0.3662, 5e-5));
    CHECK(near(b.low, 0.0624, 5e-5) && near(b.high, 0.1605, 5e-5));
    CHECK(near(c.low, 0, 1e-9) && near(c.high, 0.1611, 5e-5));
    CHECK(near(d.low, 0.0061, 5e-5) && near(d.high, 0.1718, 5e-5));
}

/* Ten tosses of a fair coin: 1, 10 and 45 of 1024. */
TEST(binomial_of_ten_tosses)
{
    CHECK(near(stats_binomial_p(10, 10, 0.5), 2 / 1024., 1e-12));
    CHECK(near(stats_binomial_p(1, 10, 0.5), 22 / 1024., 1e-12));
    CHECK(near(stats_binomial_p(8, 10, 0.5), 112 / 1024., 1e-12));
    CHECK(near(stats_binomial_p(5, 10, 0.5), 1, 1e-12));
}

/* Mendel's peas, 315:101:108:32 against 9:3:3:1: X^2 = 0.470, p = 0.9254. */
TEST(pearson_of_mendels_peas)
{
    const uint64_t peas[] = {315, 101, 108, 32};
    const uint64_t theory[] = {9, 3, 3, 1};

    CHECK(near(stats_pearson_p(peas, theory, 4), 0.9254, 5e-5));
}

TEST(total_variation_is_half_the_absolute_distance)
{
    const uint64_t count[] = {50, 30, 20};
    const uint64_t truth[] = {400, 400, 200};
    const uint64_t apart[] = {0, 0, 7};
    const uint64_t other[] = {3, 4, 0};

    CHECK(near(stats_total_variation(count, truth, 3), 0.1, 1e-12));
    CHECK(near(stats_total_variation(apart, other, 3), 1, 1e-12));
}
