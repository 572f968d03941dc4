/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T3: work whose period is the mean interval, half of it, ten times it, or
 * 1/997 s (the default rate's period), is sampled as well as any other. The
 * guest keeps that period to the nanosecond. Once the interval is what T1 does
 * (test_bias.c).
 */
#include "batch.h"
#include "check.h"

static void check_unbiased(const char *what, const char *options)
{
    struct verdict v = batch_verdict(what, options);

    CHECK(v.fewest >= JUDGE_SAMPLES_MIN);
    CHECK(verdict_unbiased(&v));
}

TEST(t3_loop_of_half_an_interval)
{
    check_unbiased("1/2 x", BATCH_RATE "paced=1 loop=50000 loops=23700");
}

TEST(t3_loop_of_ten_intervals)
{
    check_unbiased("10 x", BATCH_RATE "paced=1 loop=1000000 loops=1180");
}

TEST(t3_loop_of_a_997th_of_a_second)
{
    check_unbiased("1/997 s", BATCH_RATE "paced=1 loop=1003009 loops=1180");
}
