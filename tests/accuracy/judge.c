/* SPDX-License-Identifier: BSD-2-Clause */
/* Owns the limits of T1 and T2. */
#include "judge.h"

#include <stdio.h>

#include "stats.h"

/*
 * Samples of periodic work vary less than a multinomial: a p near 1 is fine,
 * so all tests are of the upper tail. A good sampler fails in at most 1 % of
 * batches; jitter of 12.5 % always fails, a skid of 0.5 % of the loop in 9
 * batches of 10.
 */
#define SAMPLES_MIN  10000
#define POOLED_P_MIN 0.001
#define LOW_P        0.01
#define LOW_P_RUNS   2

/* 99.99th percentiles of an ideal sampler with these 8 functions. */
#define TV_RUN_MAX    0.0225
#define TV_POOLED_MAX 0.0044

/*
 * All shares of a batch together hold with 99 %. The limits of a share are
 * those of an exact test: where few samples are expected Wilson's interval,
 * which is what a report shows, misses the truth more often than it says (68 of
 * 13,600 at this error rate: 2.6 times as often).
 */
#define SHARE_ALPHA (0.01 / (JUDGE_RUNS * JUDGE_KINDS))

static uint64_t sum_of(const uint64_t *v)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < JUDGE_KINDS; i++)
        sum += v[i];
    return sum;
}

static unsigned misses(const uint64_t *count, const uint64_t *truth)
{
    uint64_t samples = sum_of(count);
    uint64_t all = sum_of(truth);
    unsigned n = 0;

    for (size_t i = 0; i < JUDGE_KINDS; i++) {
        double p = (double)truth[i] / (double)all;

        if (stats_binomial_p(count[i], samples, p) >= SHARE_ALPHA)
            continue;
        n++;
        printf("function %zu: %llu of %llu samples, %.1f expected\n", i,
               (unsigned long long)count[i], (unsigned long long)samples,
               p * (double)samples);
    }
    return n;
}

struct verdict judge(const struct judge *j)
{
    struct verdict v = {.fewest = UINT64_MAX};
    uint64_t pooled[JUDGE_KINDS] = {0};

    for (size_t run = 0; run < JUDGE_RUNS; run++) {
        const uint64_t *count = j->count[run];
        uint64_t samples = sum_of(count);
        double tv = stats_total_variation(count, j->truth, JUDGE_KINDS);

        if (samples < v.fewest)
            v.fewest = samples;
        if (tv > v.worst_tv)
            v.worst_tv = tv;
        v.low_p += stats_pearson_p(count, j->truth, JUDGE_KINDS) < LOW_P;
        v.out_of_interval += misses(count, j->truth);
        for (size_t i = 0; i < JUDGE_KINDS; i++)
            pooled[i] += count[i];
    }
    v.pooled_p = stats_pearson_p(pooled, j->truth, JUDGE_KINDS);
    v.pooled_tv = stats_total_variation(pooled, j->truth, JUDGE_KINDS);
    return v;
}

bool verdict_unbiased(const struct verdict *v)
{
    return v->pooled_p > POOLED_P_MIN && v->low_p <= LOW_P_RUNS;
}

bool verdict_close(const struct verdict *v)
{
    return v->worst_tv <= TV_RUN_MAX && v->pooled_tv <= TV_POOLED_MAX &&
           v->out_of_interval == 0;
}

void verdict_print(const char *what, const struct verdict *v)
{
    printf("%s: >= %llu samples a run; pooled p %.3g, %u of %u runs below %g; "
           "total variation <= %.4f, pooled %.4f; %u shares too far off\n",
           what, (unsigned long long)v->fewest, v->pooled_p, v->low_p,
           (unsigned)JUDGE_RUNS, LOW_P, v->worst_tv, v->pooled_tv,
           v->out_of_interval);
    fflush(stdout);
}
