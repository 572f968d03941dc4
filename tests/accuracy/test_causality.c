/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * T4: of a function that does c times the work, the share p becomes
 * cp / (1 + (c - 1) p), and of the rest nothing moves. The truth p is that of
 * the guest as it was; nobody counts what the changed guest executes.
 */
#include <stdio.h>

#include "batch.h"
#include "check.h"
#include "stats.h"

/* Not paced, so that neither the work nor a tick takes from anybody's time. */
#define OPTIONS "rate=30000 loop=100000 loops=3800 "

#define PLANTED    3
#define ALPHA      (0.01 / PLANTED) /* all planted shares' intervals hold */
#define REST_P_MIN 0.001            /* Pearson: the others, among themselves */

static uint64_t truth[JUDGE_KINDS];

static double sum(const double *of)
{
    double all = 0;

    for (size_t i = 0; i < JUDGE_KINDS; i++)
        all += of[i];
    return all;
}

/* Of two functions the one with more work has more samples. */
static void check_ranks(const double *work, const uint64_t *count)
{
    for (size_t i = 0; i < JUDGE_KINDS; i++) {
        for (size_t j = 0; j < JUDGE_KINDS; j++)
            CHECK(work[i] <= work[j] || count[i] > count[j]);
    }
}

/* The others' shares of the rest are what they were. */
static double rest_p(unsigned planted, const uint64_t *count)
{
    uint64_t now[JUDGE_KINDS - 1], was[JUDGE_KINDS - 1];

    for (size_t i = 0, n = 0; i < JUDGE_KINDS; i++) {
        if (i == planted)
            continue;
        was[n] = truth[i];
        now[n++] = count[i];
    }
    return stats_pearson_p(now, was, JUDGE_KINDS - 1);
}

static void plant(unsigned function, double factor)
{
    uint64_t count[1][JUDGE_KINDS], samples = 0;
    double work[JUDGE_KINDS];
    char options[128];

    snprintf(options, sizeof options, OPTIONS "boost=%u by=%.0f", function,
             100 * factor);
    batch_one(options, 1, NULL, 1, count, NULL);
    for (size_t i = 0; i < JUDGE_KINDS; i++) {
        work[i] = (double)truth[i] * (i == function ? factor : 1);
        samples += count[0][i];
    }
    struct stats_interval seen =
        stats_wilson(count[0][function], samples, ALPHA);
    double share = work[function] / sum(work);
    double p = rest_p(function, count[0]);

    printf("%s x %.1f: %5.2f %% becomes %5.2f %%, seen %5.2f to %5.2f %% of "
           "%llu samples; the rest: p %.3g\n",
           batch_functions[function], factor,
           100 * (double)truth[function] /
               (sum(work) - (factor - 1) * (double)truth[function]),
           100 * share, 100 * seen.low, 100 * seen.high,
           (unsigned long long)samples, p);
    fflush(stdout);
    CHECK(samples >= JUDGE_SAMPLES_MIN);
    CHECK(share >= seen.low && share <= seen.high);
    CHECK(p > REST_P_MIN);
    check_ranks(work, count[0]);
}

TEST(t4_a_planted_change_moves_the_planted_share_alone)
{
    uint64_t count[1][JUDGE_KINDS], base[1][JUDGE_KINDS];

    batch_one(OPTIONS, 1, NULL, 1, count, base);
    for (size_t i = 0; i < JUDGE_KINDS; i++)
        truth[i] = base[0][i];
    plant(1, 1.5);
    plant(3, 2);
    plant(5, 4); /* PLANTED */
}
