/* SPDX-License-Identifier: BSD-2-Clause */
/* What functions take of a unit of work, against drawn samples. */
#include "diff/compare/unit_cost.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

#define FUNCTIONS 4u

/* (samples) of weight 1. */
static struct amount amount(double samples)
{
    return (struct amount){(uint64_t)samples, (uint64_t)samples, samples,
                           samples};
}

/* One run a side of 10,000 samples; a unit is 100 us in both. */
struct sides {
    struct amount amounts[2 * (FUNCTIONS + 1)], all[2];
    double tick_s[2];
    struct compare_row rows[FUNCTIONS];
    struct unit_row out[FUNCTIONS];
};

static void run(struct sides *s)
{
    const struct compare_input in = {FUNCTIONS, {1, 1}, s->amounts, NULL};

    CHECK_EQ(
        unit_rows(&(struct unit_rows_input){&in, s->rows, s->all, s->tick_s},
                  s->out),
        0);
}

static struct sides sides(const double before[FUNCTIONS],
                          const double after[FUNCTIONS])
{
    struct sides s = {.all = {amount(10000), amount(10000)},
                      .tick_s = {1e-8, 1e-8}};

    for (unsigned i = 0; i < FUNCTIONS; i++) {
        s.amounts[i] = amount(before[i]);
        s.amounts[FUNCTIONS + 1 + i] = amount(after[i]);
    }
    return s;
}

TEST(one_function_gains_and_nobody_else_loses)
{
    const double before[] = {1000, 2000, 500, 0},
                 after[] = {1500, 2000, 500, 0};
    struct sides s = sides(before, after);

    run(&s);
    CHECK(fabs(s.out[0].before - 1e-5) < 1e-12);
    CHECK(fabs(s.out[0].change - .5) < 1e-9 && s.out[0].changed);
    CHECK(s.out[0].low > .38 && s.out[0].low < .4);
    CHECK(s.out[0].high > .6 && s.out[0].high < .63);
    for (unsigned i = 1; i < 3; i++)
        CHECK(fabs(s.out[i].change) < 1e-9 && !s.out[i].changed);
    CHECK(s.out[3].change == 0 && !s.out[3].changed);
}

/* catches: shares of busy time, which say nothing of a unit */
TEST(half_the_units_in_the_same_time_cost_twice_as_much)
{
    const double same[] = {1000, 2000, 500, 100};
    struct sides s = sides(same, same);

    s.tick_s[1] = 2e-8;
    run(&s);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        CHECK(fabs(s.out[i].change - 1) < 1e-9 && s.out[i].changed);
}

TEST(what_a_side_lacks_is_new_or_gone)
{
    const double before[] = {100, 0, 3, 1000}, after[] = {0, 100, 0, 1000};
    struct sides s = sides(before, after);

    s.rows[0].verdict = s.rows[1].verdict = COMPARE_CHANGED;
    s.rows[2].verdict = COMPARE_RARE;
    run(&s);
    CHECK(s.out[0].changed && s.out[0].high == -1);
    CHECK(s.out[1].changed && isinf(s.out[1].low));
    CHECK(!s.out[2].changed && !s.out[3].changed);
}

/* xorshift64*; any would do */
static double draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

/* How many of 2,000 samples fall into each function, of which function i has
 * 30, 10, 5 and 1.5 %. */
static void sample(uint64_t *state, double counts[FUNCTIONS])
{
    static const double ends[] = {.3, .4, .45, .465};

    memset(counts, 0, FUNCTIONS * sizeof counts[0]);
    for (unsigned i = 0; i < 2000; i++) {
        double at = draw(state);
        unsigned f = 0;

        while (f < FUNCTIONS && at >= ends[f])
            f++;
        if (f < FUNCTIONS)
            counts[f]++;
    }
}

/* Binomial of 1,000: 50 + 4 sigma = 78 false alarms, and 950 - 28 intervals. */
TEST(alarms_are_rare_and_intervals_hold)
{
    uint64_t state = 88172645463325252u;
    unsigned alarms = 0, held[FUNCTIONS] = {0};

    for (unsigned pair = 0; pair < 1000; pair++) {
        double before[FUNCTIONS], after[FUNCTIONS];
        bool alarm = false;

        sample(&state, before);
        sample(&state, after);
        struct sides s = sides(before, after);

        s.all[0] = s.all[1] = amount(2000);
        run(&s);
        for (unsigned i = 0; i < FUNCTIONS; i++) {
            alarm |= s.out[i].changed;
            held[i] += s.out[i].low <= 0 && s.out[i].high >= 0;
        }
        alarms += alarm;
    }
    CHECK(alarms < 78);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        CHECK(held[i] > 922);
}
