/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions changed: a worked example, and how often chance is blamed and
 * a planted change found. Samples are drawn here. */
#include "diff/compare/compare.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "check.h"

#define MOST_RUNS 10

static int near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

static void add(struct amount *a, double weight)
{
    a->samples++;
    a->time += weight;
    a->time_sq += weight * weight;
}

static struct amount equal(uint64_t n)
{
    return (struct amount){n, n, (double)n, (double)n};
}

/* splitmix64 */
static double draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

/* One run a side: (n) functions with so many samples. */
static struct compare_result compare_counts(const unsigned *before,
                                            const unsigned *after, size_t n,
                                            struct compare_row *rows)
{
    struct amount amounts[2 * 11] = {{0}};
    struct compare_input in = {n, {1, 1}, amounts, NULL};
    struct compare_result result;

    for (size_t i = 0; i < n; i++) {
        amounts[i] = equal(before[i]);
        amounts[n + 1 + i] = equal(after[i]);
    }
    CHECK_EQ(compare(&in, rows, &result), 0);
    return result;
}

/* Toro's SysThreadSwitch stored every register, then those that a call keeps.
 * catches: blaming WRITE_PORTB, whose share of all grew from 22 to 38 % */
TEST(of_what_the_switch_lost_nobody_is_guilty)
{
    enum { SWITCH, PORTB, ELSE };
    const unsigned before[] = {64, 35, 33 + 24}, after[] = {8, 47, 58 + 10};
    struct compare_row rows[3];
    struct compare_result result = compare_counts(before, after, 3, rows);

    CHECK_EQ(result.changed, 1);
    CHECK_EQ(rows[SWITCH].verdict, COMPARE_CHANGED);
    CHECK_EQ(rows[SWITCH].step, 1);
    CHECK(rows[SWITCH].all.p < 1e-9 && rows[SWITCH].q < 1e-9);
    CHECK_EQ(rows[PORTB].verdict, COMPARE_SAME);
    CHECK(near(rows[PORTB].all.before, .224, .0005));
    CHECK(near(rows[PORTB].all.after, .382, .0005));
    CHECK(near(rows[PORTB].all.p, .0041, .00005));
    CHECK(near(rows[PORTB].rest.before, .380, .0005));
    CHECK(near(rows[PORTB].rest.after, .409, .0005));
    CHECK(near(rows[PORTB].rest.p, .680, .0005));
    CHECK(rows[PORTB].rest.of.low < 0 && rows[PORTB].rest.of.high > 0);
    CHECK(near(result.rest[0], 92. / 156, 1e-12));
    CHECK(near(result.rest[1], 115. / 123, 1e-12));
}

TEST(scheduling_is_innocent_too_once_the_second_loss_is_known)
{
    const unsigned before[] = {64, 35, 33, 24}, after[] = {8, 47, 58, 10};
    struct compare_row rows[4];
    struct compare_result result = compare_counts(before, after, 4, rows);

    CHECK_EQ(result.changed, 2);
    CHECK_EQ(rows[0].step, 1);
    CHECK_EQ(rows[3].step, 2);
    CHECK(rows[2].all.p < 1e-5); /* of all */
    CHECK_EQ(rows[2].verdict, COMPARE_SAME);
    CHECK(near(rows[2].rest.before, 33. / 68, 1e-12));
    CHECK(near(rows[2].rest.after, 58. / 105, 1e-12));
    /* what was taken out is stated of what remains and itself */
    CHECK(near(rows[0].rest.before, 64. / (64 + 68), 1e-12));
    CHECK(near(rows[0].rest.after, 8. / (8 + 105), 1e-12));
}

TEST(what_is_new_and_what_is_gone_have_changed)
{
    const unsigned before[] = {500, 300, 200, 0, 40, 4};
    const unsigned after[] = {500, 300, 200, 40, 0, 0};
    struct compare_row rows[6];
    struct compare_result result = compare_counts(before, after, 6, rows);

    CHECK_EQ(result.changed, 2);
    CHECK_EQ(result.judged, 5);
    CHECK_EQ(rows[3].verdict, COMPARE_CHANGED);
    CHECK_EQ(rows[4].verdict, COMPARE_CHANGED);
    CHECK_EQ(rows[5].verdict, COMPARE_RARE);
    CHECK_EQ(rows[0].verdict, COMPARE_SAME);
    CHECK(rows[0].detectable > .05 && rows[0].detectable < .15);
}

/* Four functions vanish, so that two seem to grow, and one of them seems to
 * change the most. catches: blaming it; and missing that these two changed
 * against each other */
TEST(what_is_gone_is_taken_out_first)
{
    const unsigned before[] = {120, 100, 72, 70, 50, 46};
    const unsigned after[] = {532, 0, 267, 0, 0, 0};
    const unsigned other[] = {267, 0, 532, 0, 0, 0};
    struct compare_row rows[6];
    struct compare_result result = compare_counts(before, after, 6, rows);

    CHECK_EQ(result.changed, 4);
    CHECK_EQ(rows[0].verdict, COMPARE_SAME);
    CHECK(rows[0].q > .05 && rows[0].all.p < 1e-9);
    CHECK_EQ(rows[2].verdict, COMPARE_SAME);
    CHECK(near(rows[0].rest.before + rows[2].rest.before, 1, 1e-9));
    CHECK_EQ(compare_counts(before, other, 6, rows).changed, 5);
}

/* Of anything against anything. catches: a row that contradicts its numbers */
TEST(verdicts_agree_with_what_is_stated)
{
    uint64_t state = 7;

    for (unsigned n = 0; n < 2000; n++) {
        unsigned before[8], after[8];
        struct compare_row rows[8];

        for (size_t i = 0; i < 8; i++) {
            before[i] = (unsigned)(300 * draw(&state));
            after[i] = (unsigned)(300 * draw(&state) * draw(&state));
        }
        struct compare_result result = compare_counts(before, after, 8, rows);
        bool rest = result.rest[0] > 0 && result.rest[1] > 0;

        for (size_t i = 0; i < 8; i++) {
            if (rows[i].verdict == COMPARE_CHANGED)
                CHECK(rows[i].step != 0 && rows[i].q <= .05 &&
                      (!rest || rows[i].rest.p <= .05));
            if (rows[i].verdict == COMPARE_SAME)
                CHECK(rows[i].step == 0 && rows[i].q > .05);
        }
    }
}

/* What no function is known of is in the whole, and is never judged. */
TEST(others_count_and_are_not_judged)
{
    struct amount amounts[] = {equal(400), equal(100), equal(500),
                               equal(400), equal(100), equal(900)};
    struct compare_input in = {2, {1, 1}, amounts, NULL};
    struct compare_row rows[2];
    struct compare_result result;

    CHECK_EQ(compare(&in, rows, &result), 0);
    CHECK_EQ(result.judged, 2);
    CHECK(near(rows[0].all.before, .4, 1e-12));
    CHECK(near(rows[0].all.after, 400. / 1400, 1e-12));
}

TEST(empty_sides_and_no_functions_are_no_change)
{
    struct amount amounts[6] = {equal(50), equal(50), {0}, {0}, {0}, {0}};
    struct compare_input in = {2, {1, 1}, amounts, NULL},
                         none = {0, {1, 1}, amounts, NULL};
    struct compare_row rows[2];
    struct compare_result result;

    CHECK_EQ(compare(&in, rows, &result), 0);
    CHECK_EQ(result.changed, 0);
    CHECK_EQ(compare(&none, rows, &result), 0);
    CHECK_EQ(result.judged, 0);
}

TEST(memory_may_lack)
{
    struct amount amounts[] = {equal(9), equal(9), equal(9), equal(9)};
    struct compare_input in = {1, {1, 1}, amounts, NULL};
    struct compare_row rows[1];
    struct compare_result result;

    for (unsigned n = 1;; n++) {
        alloc_fail_at(n);
        int status = compare(&in, rows, &result);

        if (!alloc_failed())
            break;
        CHECK_EQ(status, -1);
    }
}

/* Thousands of functions, all of which are others: bounded in time. */
TEST(another_program_is_compared_fast)
{
    enum { N = 4000 };
    struct amount *amounts = calloc(2 * (N + 1), sizeof *amounts);
    struct compare_row *rows = calloc(N, sizeof *rows);
    struct compare_input in = {N, {1, 1}, amounts, NULL};
    struct compare_result result;

    CHECK(amounts != NULL && rows != NULL);
    for (size_t i = 0; i < N; i++)
        amounts[(i % 2) * (N + 1) + i] = equal(100 + i % 7);
    CHECK_EQ(compare(&in, rows, &result), 0);
    CHECK_EQ(result.judged, N);
    CHECK(result.changed > N - 20);
    free(amounts);
    free(rows);
}

/* Drawn samples */

static double draw_normal(uint64_t *state)
{
    double u = 1 - draw(state), v = draw(state);

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

enum { FUNCTIONS = 16, LATE = 3 };

/* Shares of time of a kernel as they often are; the last ones are rare. */
static const double usual[FUNCTIONS] = {.27,  .17,   .13,   .10, .08,  .06,
                                        .05,  .04,   .03,   .02, .015, .012,
                                        .009, .0065, .0045, .003};

struct design {
    unsigned runs[2];
    unsigned samples[2]; /* of a run */
    double spread;       /* of the logarithm of odds between runs */
    double stay;         /* probability that a sample is where the last was */
};

/* The weight of a sample: most cover one deadline, and those in LATE, which has
 * interrupts off, up to a dozen. */
static double draw_weight(uint64_t *state, size_t function)
{
    double u = draw(state);

    if (function == LATE)
        return 1 + floor(12 * u);
    return u < .05 ? 2 : u < .06 ? 3 : 1;
}

static double mean_weight(size_t function)
{
    return function == LATE ? 6.5 : .94 + .05 * 2 + .01 * 3;
}

/* Draw a run whose shares of time are (shares), but for how runs differ. */
static void draw_run(uint64_t *state, const struct design *d, unsigned samples,
                     const double *shares, struct amount *out)
{
    double sums[FUNCTIONS], sum = 0;
    size_t at = 0;

    for (size_t i = 0; i < FUNCTIONS; i++) {
        double noise = d->spread > 0 ? exp(d->spread * draw_normal(state)) : 1;

        sum += shares[i] * noise / mean_weight(i);
        sums[i] = sum;
    }
    memset(out, 0, (FUNCTIONS + 1) * sizeof *out);
    for (unsigned n = 0; n < samples; n++) {
        if (n == 0 || draw(state) >= d->stay) {
            double u = draw(state) * sum;

            for (at = 0; at < FUNCTIONS - 1 && u >= sums[at];)
                at++;
        }
        add(&out[at], draw_weight(state, at));
    }
}

static struct compare_result
compare_drawn(uint64_t *state, const struct design *d, const double *before,
              const double *after, struct compare_row *rows)
{
    struct amount amounts[MOST_RUNS * (FUNCTIONS + 1)];
    struct compare_input in = {
        FUNCTIONS, {d->runs[0], d->runs[1]}, amounts, NULL};
    struct compare_result result;
    size_t run = 0;

    for (unsigned side = 0; side < 2; side++)
        for (unsigned i = 0; i < d->runs[side]; i++, run++)
            draw_run(state, d, d->samples[side], side == 0 ? before : after,
                     &amounts[run * (FUNCTIONS + 1)]);
    CHECK_EQ(compare(&in, rows, &result), 0);
    return result;
}

static const struct design designs[] = {
    {{1, 1}, {2000, 2000}, 0, 0},    {{1, 1}, {500, 8000}, 0, 0},
    {{5, 5}, {1500, 1500}, .15, .7}, {{3, 3}, {3000, 3000}, .1, .5},
    {{5, 2}, {1000, 3000}, .1, .5},  {{4, 1}, {2000, 2000}, .1, .5},
};
#define DESIGNS (sizeof designs / sizeof designs[0])

/*
 * catches: a test that forgets weights, the spread between runs, the rare
 * functions, or how many functions were looked at
 */
TEST(chance_is_blamed_in_at_most_5_of_100_pairs)
{
    for (size_t i = 0; i < DESIGNS; i++) {
        uint64_t state = 1 + i; /* fixed before the first run */
        struct compare_row rows[FUNCTIONS];
        unsigned alarms = 0;

        for (unsigned pair = 0; pair < 1000; pair++)
            alarms += compare_drawn(&state, &designs[i], usual, usual, rows)
                          .changed != 0;
        if (alarms > 50)
            check_failed(__FILE__, __LINE__, "%u false alarms of design %zu",
                         alarms, i);
    }
}

/* (usual) with (growth) more for (function), of which all others pay. */
static void plant(size_t function, double growth, double *shares)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        shares[i] =
            usual[i] * (1 - usual[function] - growth) / (1 - usual[function]);
    shares[function] = usual[function] + growth;
}

/*
 * A change as large as the table says is found in 80 of 100 pairs: in 1,000
 * pairs that is 800 +- 39 (3.1 sigma). The size is the mean of what 200 pairs
 * without a change say. catches: a promise that is not kept
 */
TEST(planted_changes_are_found_as_promised)
{
    static const size_t functions[] = {0, LATE, 10};

    for (size_t i = 0; i < 4; i++) {
        const struct design *d = &designs[i];

        for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++) {
            uint64_t state = 100 + i;
            struct compare_row rows[FUNCTIONS];
            double growth = 0, after[FUNCTIONS];
            unsigned found = 0, n = 0;

            for (unsigned pair = 0; pair < 200; pair++) {
                (void)compare_drawn(&state, d, usual, usual, rows);
                if (rows[functions[f]].verdict != COMPARE_SAME)
                    continue;
                growth += rows[functions[f]].detectable;
                n++;
            }
            CHECK(n > 150);
            plant(functions[f], growth / n, after);
            for (unsigned pair = 0; pair < 1000; pair++) {
                (void)compare_drawn(&state, d, usual, after, rows);
                found += rows[functions[f]].verdict == COMPARE_CHANGED;
            }
            if (found < 761)
                check_failed(__FILE__, __LINE__,
                             "function %zu of design %zu: +%.4f is found in "
                             "%u of 1000",
                             functions[f], i, growth / n, found);
        }
    }
}
