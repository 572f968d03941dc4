/* SPDX-License-Identifier: BSD-2-Clause */
/* Deadlines: how intervals are spread, and that none is lost or invented. */
#include "check.h"
#include "sample/schedule.h"

#define PERIOD 1000003u

static struct tprof_schedule begin(uint64_t seed, uint64_t now)
{
    struct tprof_schedule s = {.random = tprof_seed(seed, 0)};

    tprof_schedule_begin(&s, now, PERIOD);
    return s;
}

TEST(schedule_draws_intervals_from_half_to_one_and_a_half_periods)
{
    struct tprof_schedule s = begin(1, 0);
    const uint64_t n = 1000000;
    uint64_t bin[16] = {0};
    double sum = 0, chi2 = 0;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t last = s.deadline;

        CHECK(tprof_schedule_advance(&s, s.deadline));
        uint64_t interval = s.deadline - last;

        CHECK(interval >= PERIOD / 2 && interval < PERIOD / 2 + PERIOD);
        bin[(interval - PERIOD / 2) * 16 / PERIOD]++;
        sum += (double)interval;
    }
    /* mean of n draws: standard error = PERIOD / sqrt(12 n), 4 of them */
    double mean = sum / (double)n - PERIOD;

    CHECK(mean * mean < 16.0 * PERIOD * PERIOD / (12.0 * (double)n));
    for (int i = 0; i < 16; i++) {
        double e = (double)n / 16, d = (double)bin[i] - e;

        chi2 += d * d / e;
    }
    CHECK(chi2 < 37.7); /* upper 0.1 % of chi-square with 15 degrees */
}

TEST(schedule_counts_from_the_deadline_not_from_the_late_tick)
{
    struct tprof_schedule on_time = begin(7, 0), late = begin(7, 0);

    for (int i = 0; i < 1000; i++) {
        CHECK(tprof_schedule_advance(&on_time, on_time.deadline));
        /* up to half a period late: never past the next deadline */
        CHECK(tprof_schedule_advance(&late, late.deadline + PERIOD / 3));
        CHECK_EQ(late.deadline, on_time.deadline);
    }
}

TEST(schedule_passes_over_exactly_the_deadlines_that_a_late_tick_covers)
{
    struct tprof_schedule s = begin(3, 0), each = s;
    uint64_t now = s.deadline + 7 * PERIOD;
    uint64_t expected = 0;
    int by_division = 0;

    CHECK(!tprof_schedule_advance(&s, now));
    CHECK_EQ(s.deadline, each.deadline); /* and so nothing was changed */
    while (each.deadline <= now) {
        CHECK(tprof_schedule_advance(&each, each.deadline));
        expected++;
    }
    CHECK_EQ(tprof_schedule_catch_up(&s, now, &by_division), expected);
    CHECK_EQ(s.deadline, each.deadline);
    CHECK_EQ(by_division, 0);
}

TEST(schedule_divides_when_it_is_far_behind) /* catches: an unbounded loop */
{
    struct tprof_schedule s = begin(3, 0);
    uint64_t now = s.deadline + (uint64_t)1000000 * PERIOD;
    int by_division = 0;
    uint64_t covered = tprof_schedule_catch_up(&s, now, &by_division);

    CHECK_EQ(by_division, 1);
    /* 16 draws off the mean by at most half a period each */
    CHECK(covered >= 1000000 - 8 && covered <= 1000000 + 10);
    CHECK((int64_t)(s.deadline - now) > 0 && s.deadline - now <= PERIOD);
}

TEST(schedule_of_cores_with_one_seed_differ)
{
    uint64_t seeds[64];

    for (uint32_t i = 0; i < 64; i++) {
        seeds[i] = tprof_seed(42, i);
        for (uint32_t k = 0; k < i; k++)
            CHECK(seeds[k] != seeds[i]);
    }
}
