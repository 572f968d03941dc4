/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The judgement over the cores of one machine, by samplers whose bias is known
 * since this file makes them.
 */
#include <string.h>

#include "check.h"
#include "judge.h"

#define CORES   4
#define BATCHES 25
#define SAMPLES 1000 /* of a run */

static const uint64_t truth[JUDGE_KINDS] = {400, 250, 150, 100, 50, 30, 15, 5};

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift
 * generators, scrambled", 2016 */
static uint64_t state;

static uint64_t random_below(uint64_t n)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 2685821657736338717u >> 32) % n;
}

static size_t random_kind(void)
{
    uint64_t at = random_below(1000);
    size_t kind = 0;

    while (at >= truth[kind])
        at -= truth[kind++];
    return kind;
}

/* Is a machine unbiased of which core 0 takes (moved) in 1000 samples of the
 * largest function for the next one's? */
static bool unbiased(unsigned moved)
{
    static struct judge j[CORES];
    struct verdict v[CORES];

    memset(j, 0, sizeof j);
    for (unsigned core = 0; core < CORES; core++) {
        j[core].runs = JUDGE_RUNS_MAX;
        memcpy(j[core].truth, truth, sizeof truth);
        for (unsigned run = 0; run < JUDGE_RUNS_MAX; run++)
            for (unsigned i = 0; i < SAMPLES; i++) {
                size_t kind = random_kind();

                if (core == 0 && kind == 0 && random_below(1000) < moved)
                    kind = 1;
                j[core].count[run][kind]++;
            }
        v[core] = judge(&j[core]);
    }
    return verdicts_unbiased(v, CORES);
}

TEST(a_good_sampler_on_four_cores_passes) /* catches: limits for one core */
{
    unsigned passed = 0;

    state = 1;
    for (unsigned i = 0; i < BATCHES; i++)
        passed += unbiased(0);
    CHECK(passed >= BATCHES - 1);
}

TEST(a_bias_of_one_core_in_four_is_found) /* catches: a bias that is diluted */
{
    unsigned passed = 0;

    state = 2;
    for (unsigned i = 0; i < BATCHES; i++)
        passed += unbiased(50);
    CHECK_EQ(passed, 0);
}
