/* SPDX-License-Identifier: BSD-2-Clause */
/* Owns the limits of T1 and T2. */
#include "judge.h"

#include <math.h>
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

/* 99.99th percentiles of an ideal sampler with these 8 functions; the second
 * is for 20 runs together, and shrinks with the square root of their number. */
#define TV_RUN_MAX    0.0225
#define TV_POOLED_MAX 0.0044

/*
 * All shares of a batch, or of a family of them, together hold with 99 %. The
 * limits of a share are those of an exact test: where few samples are expected
 * Wilson's interval, which is what a report shows, misses the truth more often
 * than it says (68 of 13,600 at this error rate: 2.6 times as often).
 */
#define SHARE_ALPHA(runs) (0.01 / ((runs)*JUDGE_KINDS))

static uint64_t sum_of(const uint64_t *v)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < JUDGE_KINDS; i++)
        sum += v[i];
    return sum;
}

static unsigned misses(const uint64_t *count, const uint64_t *truth,
                       double alpha)
{
    uint64_t samples = sum_of(count);
    uint64_t all = sum_of(truth);
    unsigned n = 0;

    for (size_t i = 0; i < JUDGE_KINDS; i++) {
        double p = (double)truth[i] / (double)all;

        if (stats_binomial_p(count[i], samples, p) >= alpha)
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
    struct verdict v = {.runs = j->runs, .fewest = UINT64_MAX};
    double alpha = SHARE_ALPHA(j->family != 0 ? j->family : j->runs);
    uint64_t pooled[JUDGE_KINDS] = {0};

    for (size_t run = 0; run < j->runs; run++) {
        const uint64_t *count = j->count[run];
        uint64_t samples = sum_of(count);
        double tv = stats_total_variation(count, j->truth, JUDGE_KINDS);

        if (samples < v.fewest)
            v.fewest = samples;
        if (tv > v.worst_tv)
            v.worst_tv = tv;
        v.low_p += stats_pearson_p(count, j->truth, JUDGE_KINDS) < LOW_P;
        v.out_of_interval += misses(count, j->truth, alpha);
        for (size_t i = 0; i < JUDGE_KINDS; i++)
            pooled[i] += count[i];
    }
    v.pooled_x2 = stats_pearson_x2(pooled, j->truth, JUDGE_KINDS);
    v.pooled_p = stats_chi2_p(v.pooled_x2, JUDGE_KINDS - 1);
    v.pooled_tv = stats_total_variation(pooled, j->truth, JUDGE_KINDS);
    return v;
}

bool verdict_unbiased(const struct verdict *v)
{
    return v->pooled_p > POOLED_P_MIN && v->low_p <= LOW_P_RUNS;
}

bool verdict_close(const struct verdict *v)
{
    return v->worst_tv <= TV_RUN_MAX &&
           v->pooled_tv <= TV_POOLED_MAX * sqrt((double)JUDGE_RUNS / v->runs) &&
           v->out_of_interval == 0;
}

/*
 * The sum of the cores' X^2 is that of all samples of the machine. It would
 * hide a bias of one core among many, so each core is also tested alone, at a
 * limit that divides POOLED_P_MIN among the cores (Bonferroni). Runs below
 * LOW_P are counted over all cores: as many or more must have a chance above
 * POOLED_P_MIN, which is at most 5 of 80 and 7 of 160.
 */
bool verdicts_unbiased(const struct verdict *v, unsigned cores)
{
    unsigned low = 0, runs = 0;
    double x2 = 0, worst = 1;

    for (unsigned core = 0; core < cores; core++) {
        x2 += v[core].pooled_x2;
        low += v[core].low_p;
        runs += v[core].runs;
        if (v[core].pooled_p < worst)
            worst = v[core].pooled_p;
    }
    double p = stats_chi2_p(x2, cores * (JUDGE_KINDS - 1));
    bool few = low <= LOW_P * runs || /* the tail is half of that p */
               stats_binomial_p(low, runs, LOW_P) / 2 > POOLED_P_MIN;

    printf("all %u cores: pooled p %.3g, the worst core's %.3g, %u of %u runs "
           "below %g\n",
           cores, p, worst, low, runs, LOW_P);
    fflush(stdout);
    return p > POOLED_P_MIN && worst > POOLED_P_MIN / cores && few;
}

void verdict_print(const char *what, const struct verdict *v)
{
    printf("%s: >= %llu samples a run; pooled p %.3g, %u of %u runs below %g; "
           "total variation <= %.4f, pooled %.4f; %u shares too far off\n",
           what, (unsigned long long)v->fewest, v->pooled_p, v->low_p, v->runs,
           LOW_P, v->worst_tv, v->pooled_tv, v->out_of_interval);
    fflush(stdout);
}
