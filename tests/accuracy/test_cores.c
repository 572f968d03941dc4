/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T7: with 2 and 4 cores of different mixes each core's shares are as good as
 * T1 and T2 want them, and no core's samples are on another (batch.c).
 *
 * Under icount QEMU runs one core at a time, until some timer is due or the
 * core pauses; a core that waits for its turn is sampled where it stopped. So
 * with turns=1 the guest pauses outside of its functions, so often that no stop
 * is as long as an interval: no place gets two samples of one stop. And at ever
 * other places of its loop, since a tick may begin its core's turn.
 */
#include <stdio.h>

#include "batch.h"
#include "check.h"

/* Not paced, so the cost of a tick moves nothing (see batch.h). */
#define OPTIONS "rate=30000 loop=31277 turns=1 "

/* The cores with a bias, as bits. */
static unsigned find_bias(unsigned cores, const char *options)
{
    static struct judge j[4];
    unsigned biased = 0;

    batch_run(options, cores, NULL, j);
    for (unsigned core = 0; core < cores; core++) {
        char what[32];

        snprintf(what, sizeof what, "core %u of %u", core, cores);
        struct verdict v = judge(&j[core]);
        verdict_print(what, &v);
        CHECK(v.fewest >= JUDGE_SAMPLES_MIN);
        CHECK(verdict_close(&v));
        biased |= (unsigned)!verdict_unbiased(&v) << core;
    }
    return biased;
}

/* Six cores are judged, each at p = 0.001: by chance that fails with one agent
 * of 170, and then always, since all of it is deterministic. So a core that
 * fails is judged once more, with other seeds: a bias would be there again. */
static void check_cores(unsigned cores, const char *options)
{
    unsigned biased = find_bias(cores, options);

    if (biased == 0)
        return;
    batch_seed += JUDGE_RUNS;
    CHECK((find_bias(cores, options) & biased) == 0);
}

TEST(t7_two_cores)
{
    check_cores(2, OPTIONS "mix=1 loops=12600");
}

TEST(t7_four_cores)
{
    check_cores(4, OPTIONS "mix=3 loops=7700");
}
