/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a comparison. Pure. */
#ifndef TPROF_DIFF_COMPARE_STATISTICS_H
#define TPROF_DIFF_COMPARE_STATISTICS_H

/* beta_tail.c: tails of distributions. */

/* Returns the probability that a value of Student's t with (df) degrees of
 * freedom is farther from 0 than (t) in either direction. If (df) is INFINITY,
 * the value is of a normal distribution. */
double tail_t(double t, double df);

/* Returns the (t) for which tail_t() returns (p). (p) is above 0 and at most 1.
 */
double tail_t_quantile(double p, double df);

/*
 * Returns the probability that (a) + (b) events divide as unevenly as these, or
 * more so, if each event is one of the (b) with probability (share). The result
 * is twice the smaller tail of the binomial distribution. Counts may have
 * fractions.
 */
double tail_counts(double a, double b, double share);

/* two_proportions.c: compares a share before and after: did it change, by how
 * much, and how large must a change be to be found. */

/* Index 0 is before, 1 is after. */
struct two_proportions {
    double p[2]; /* 0 to 1 */
    /* number of samples with the same weight that give the same error */
    double n[2];
    /* Runs differ, so the variance is this multiple of the variance of (n)
     * samples; 1 or more. (df) are the degrees of freedom of the estimate of
     * that multiple. INFINITY: there is one run on each side, so there is no
     * estimate. */
    double spread, df;
};

/* A change of a share, p[1] - p[0], with its 95 % interval. */
struct two_proportions_change {
    double change, low, high;
};

/*
 * Returns the probability that two equal shares differ by chance as much as
 * these do. Uses a score test with pooled variance. If fewer than
 * TWO_PROPORTIONS_FEW samples are expected on a side, their distribution is not
 * normal. Then the binomial test must agree.
 */
#define TWO_PROPORTIONS_FEW 10
double two_proportions_p(const struct two_proportions *s);

/* Returns the change and its interval by Newcombe's method, from Wilson's
 * intervals of both shares. */
struct two_proportions_change
two_proportions_interval(const struct two_proportions *s);

/*
 * Returns the least growth that two_proportions_p() finds below (level) with a
 * probability of (power), if the shares are equal without the growth. If there
 * is no such growth, returns the growth that makes the share 1.
 */
double two_proportions_detectable(const struct two_proportions *s, double level,
                                  double power);

#endif
