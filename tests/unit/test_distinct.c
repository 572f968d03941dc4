/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimates of how many different numbers there were. */
#include "profile/aggregate/distinct.h"

#include "check.h"

/* Of (n) numbers, each of which comes twice. */
static double part_of(uint64_t n, uint64_t step)
{
    struct distinct d = {{0}};

    for (uint64_t i = 0; i < 2 * n; i++)
        distinct_add(&d, i % n * step);
    return (double)distinct_most(&d) / (double)n;
}

/* catches: a number that is not enough, and one that is far too large */
TEST(estimates_are_a_little_too_high)
{
    for (uint64_t n = 100; n < 2000000; n *= 3) {
        CHECK(part_of(n, 1) >= 1 && part_of(n, 1) <= 1.12);
        CHECK(part_of(n, 64) >= 1 && part_of(n, 64) <= 1.12);
    }
}

TEST(nothing_is_hardly_anything)
{
    struct distinct d = {{0}};

    CHECK_EQ(distinct_most(&d), 1);
    distinct_add(&d, 7);
    distinct_add(&d, 7);
    CHECK(distinct_most(&d) <= 2);
}
