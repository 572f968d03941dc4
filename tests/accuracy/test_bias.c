/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T1 and T2: the shares are unbiased and close to the truth, even where the
 * work is periodic and in step with the mean interval. test_controls.c shows
 * that the same test rejects samplers that are a little wrong.
 */
#include <stdio.h>

#include "batch.h"
#include "check.h"
#include "stats.h"

#define LONG_RUN     BATCH_IN_STEP "loops=47200"
#define LONG_SAMPLES 40000
#define LONG_TV_MAX  0.0113 /* 99.99th percentile of an ideal sampler */

TEST(t1_t2_shares_are_unbiased_and_close) /* catches: any bias */
{
    struct verdict v = batch_verdict("agent", BATCH_IN_STEP "loops=11800");

    CHECK(v.fewest >= JUDGE_SAMPLES_MIN);
    CHECK(verdict_unbiased(&v));
    CHECK(verdict_close(&v));
}

TEST(t2_a_longer_run_comes_closer)
{
    uint64_t count[1][JUDGE_KINDS], truth[1][JUDGE_KINDS];
    uint64_t samples = 0;

    batch_one(LONG_RUN, 1, NULL, 1, count, truth);
    for (size_t i = 0; i < JUDGE_KINDS; i++)
        samples += count[0][i];
    double tv = stats_total_variation(count[0], truth[0], JUDGE_KINDS);
    printf("%llu samples: total variation %.4f\n", (unsigned long long)samples,
           tv);
    CHECK(samples >= LONG_SAMPLES);
    CHECK(tv <= LONG_TV_MAX);
}
