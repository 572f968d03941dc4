/* SPDX-License-Identifier: BSD-2-Clause */
/* Shares and their intervals, against tables and against drawn samples. */
#include "diagnose/share.h"

#include <math.h>
#include <stdint.h>

#include "check.h"

static struct amount equal(uint64_t n)
{
    return (struct amount){n, n, (double)n, (double)n};
}

static int near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

TEST(interval_is_wilsons) /* catches: Wald's interval, a wrong z */
{
    /* Newcombe 1998, Statistics in Medicine 17, table I: method 3 */
    static const struct {
        uint64_t r, n;
        double low, high;
    } rows[] = {
        {81, 263, .2553, .3662},
        {15, 148, .0624, .1605},
        {0, 20, .0000, .1611},
        {1, 29, .0061, .1718},
    };

    for (unsigned i = 0; i < 4; i++) {
        struct amount part = equal(rows[i].r), whole = equal(rows[i].n);
        struct share s = share_of(&part, &whole);

        CHECK(near(s.low, rows[i].low, .00005));
        CHECK(near(s.high, rows[i].high, .00005));
        CHECK(near(s.p, (double)rows[i].r / (double)rows[i].n, 1e-12));
    }
}

TEST(nothing_sampled_is_nothing_known)
{
    struct amount none = {0};
    struct share s = share_of(&none, &none);

    CHECK(s.p == 0 && s.low == 0 && s.high == 1);
}

TEST(all_and_none_stay_within_bounds) /* catches: 100.1 %, -0.0 % */
{
    for (uint64_t n = 1; n < 100000; n = n * 3 + 1) {
        struct amount none = {0}, all = equal(n);
        struct share s = share_of(&none, &all), t = share_of(&all, &all);

        CHECK(s.p == 0 && s.low == 0 && s.high > 0 && s.high < 1);
        CHECK(t.p == 1 && t.high == 1 && t.low > 0 && t.low < 1);
    }
}

TEST(uneven_weights_are_worth_fewer_samples)
{
    /* 3 of weight 1 and 1 of weight 3: 6^2 / (3 + 9) = 3 */
    struct amount t = {4, 6, 6, 12};

    CHECK(near(share_effective(&t), 3, 1e-12));

    /* scaling all weights changes nothing */
    struct amount scaled = {4, 6, 6e6, 12e12};
    CHECK(near(share_effective(&scaled), 3, 1e-9));
}

/* xorshift64*, the samples' source; any would do */
static double draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

static void count(struct amount *a, double weight)
{
    a->time += weight;
    a->time_sq += weight * weight;
}

#define RUNS 4000u

/* Samples of weight 1 and 5: how many are of the part, and how many of these,
 * and of the others, are heavy. */
struct mix {
    double part, heavy, others;
};

/* In how many of RUNS runs of 500 samples does the interval hold the truth? */
static unsigned held(struct mix m)
{
    uint64_t state = 88172645463325252u;
    double inside = m.part * (1 + 4 * m.heavy);
    double truth = inside / (inside + (1 - m.part) * (1 + 4 * m.others));
    unsigned n = 0;

    for (unsigned run = 0; run < RUNS; run++) {
        struct amount part = {0}, whole = {0};

        for (unsigned i = 0; i < 500; i++) {
            bool is_part = draw(&state) < m.part;
            double w = draw(&state) < (is_part ? m.heavy : m.others) ? 5 : 1;

            count(&whole, w);
            if (is_part)
                count(&part, w);
        }
        struct share s = share_of(&part, &whole);

        n += s.low <= truth && truth <= s.high;
    }
    return n;
}

/* Coverage is binomial: 0.95 +- 4 sigma = 0.95 +- 0.014; the interval's own
 * approximation adds at most 0.01 at such shares. */
#define LEAST (RUNS * .926)
#define MOST  (RUNS * .974)

TEST(interval_holds_the_truth_95_times_in_100)
{
    unsigned n = held((struct mix){.2, .1, .1});

    CHECK(n > LEAST && n < MOST);
}

/* Catches: late samples that a function's interval takes for usual ones */
TEST(interval_holds_the_truth_of_a_part_that_is_heavier)
{
    CHECK(held((struct mix){.2, .5, 0}) > LEAST);
    CHECK(held((struct mix){.05, 1, 0}) > LEAST);
    CHECK(held((struct mix){.05, .5, .1}) > LEAST);
}

TEST(interval_is_no_narrower_for_a_part_that_is_lighter)
{
    CHECK(held((struct mix){.2, 0, .1}) > LEAST);
    CHECK(held((struct mix){.2, 0, 1}) > LEAST);
}

/* 2 of 100 samples: Wilson's interval is 0.55 to 7.00 by hand. 30 of 100: 21.9
 * to 39.6. */
TEST(error_that_is_larger_than_its_share_is_an_upper_end)
{
    char text[SHARE_TEXT];

    CHECK_STR(share_error(text, share_wilson(.02, 100, 1.96)), "<7.0");
    CHECK_STR(share_text(text, share_wilson(.02, 100, 1.96)), "2.0 (<7.0)");
    CHECK_STR(share_error(text, share_wilson(.3, 100, 1.96)), "9.6");
    CHECK_STR(share_text(text, share_wilson(.3, 100, 1.96)), "30.0 +- 9.6");
    CHECK_STR(share_error(text, (struct share){0, 0, 1}), "<100");
}
