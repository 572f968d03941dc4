/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T1 and T2: the shares are unbiased and close to the truth, even where the
 * work is periodic and in step with the mean interval; and the same test
 * rejects samplers that are a little wrong.
 */
#include <stdio.h>

#include "batch.h"
#include "check.h"
#include "stats.h"

#define IN_STEP BATCH_RATE "paced=1 loop=100000 "

#define RUN          IN_STEP "loops=11800 "
#define LONG_RUN     IN_STEP "loops=47200"
#define LONG_SAMPLES 40000
#define LONG_TV_MAX  0.0113 /* 99.99th percentile of an ideal sampler */

static struct verdict verdict_of(const char *what, const char *options)
{
    static struct judge j;

    batch_run(options, 1, NULL, JUDGE_RUNS, &j);
    struct verdict v = judge(&j);
    verdict_print(what, &v);
    return v;
}

TEST(t1_t2_shares_are_unbiased_and_close) /* catches: any bias */
{
    struct verdict v = verdict_of("agent", RUN);

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

/* The same guest and test with a timer of the guest's own. First that it
 * passes when that timer is a good one: then rejection has one reason. */
TEST(control_random_intervals_pass)
{
    struct verdict v = verdict_of("random", RUN "control=random");

    CHECK(v.fewest >= JUDGE_SAMPLES_MIN);
    CHECK(verdict_unbiased(&v));
}

TEST(control_fixed_rate_is_rejected)
{
    struct verdict v = verdict_of("fixed", RUN "control=fixed");

    CHECK(!verdict_unbiased(&v));
}

TEST(control_jitter_of_12_5_percent_is_rejected)
{
    struct verdict v = verdict_of("jitter", RUN "control=jitter");

    CHECK(!verdict_unbiased(&v));
}

TEST(control_skid_of_half_a_percent_is_rejected)
{
    struct verdict v = verdict_of("skid", RUN "control=skid");

    CHECK(!verdict_unbiased(&v));
}
