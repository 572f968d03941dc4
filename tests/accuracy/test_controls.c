/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest and the test of test_bias.c with a timer of the guest's own: the
 * test passes where that timer is a good one, and rejects samplers that are a
 * little wrong. So a rejection has one reason.
 */
#include "batch.h"
#include "check.h"

#define RUN BATCH_IN_STEP "loops=11800 "

TEST(control_random_intervals_pass)
{
    struct verdict v = batch_verdict("random", RUN "control=random");

    CHECK(v.fewest >= JUDGE_SAMPLES_MIN);
    CHECK(verdict_unbiased(&v));
}

TEST(control_fixed_rate_is_rejected)
{
    struct verdict v = batch_verdict("fixed", RUN "control=fixed");

    CHECK(!verdict_unbiased(&v));
}

TEST(control_jitter_of_12_5_percent_is_rejected)
{
    struct verdict v = batch_verdict("jitter", RUN "control=jitter");

    CHECK(!verdict_unbiased(&v));
}

TEST(control_skid_of_half_a_percent_is_rejected)
{
    struct verdict v = batch_verdict("skid", RUN "control=skid");

    CHECK(!verdict_unbiased(&v));
}
