/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a comparison. Pure. */
#ifndef TPROF_DIFF_COMPARE_STATISTICS_H
#define TPROF_DIFF_COMPARE_STATISTICS_H

/* beta_tail.c: tails of distributions. */

/* The probability that a value of Student's t with (df) degrees of freedom is
 * farther from 0 than (t) in either direction. If (df) is INFINITY, of a normal
 * distribution. */
double tail_t(double t, double df);

/* Returns the (t) for which tail_t() returns (p). (p) is above 0 and at most 1.
 */
double tail_t_quantile(double p, double df);

/*
 * Returns the probability that (a) + (b) events divide as unevenly as this, or
 * more so, if each falls among the (b) with probability (share). This is twice
 * the smaller tail of the binomial distribution. Counts may have fractions.
 */
double tail_counts(double a, double b, double share);

/* two_proportions.c: compares a share before and after: whether it changed, by
 * how much, and which change would have been found. */

/* Index 0 is before, 1 is after. */
struct two_proportions {
    double p[2]; /* 0 to 1 */
    /* number of equally weighted samples that give the same error */
    double n[2];
    /* The variance is this multiple of the variance of (n) samples, since runs
     * differ; 1 or more. (df) are the degrees of freedom of the estimate of
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
 * these do. Uses a score test with pooled variance. If one side expects fewer
 * than TWO_PROPORTIONS_FEW samples, their distribution is not normal, and the
 * binomial test must agree.
 */
#define TWO_PROPORTIONS_FEW 10
double two_proportions_p(const struct two_proportions *s);

/* Returns the change and its interval by Newcombe's method, from Wilson's
 * intervals of both shares. */
struct two_proportions_change
two_proportions_interval(const struct two_proportions *s);

/*
 * The least growth that two_proportions_p() would have found below (level) with
 * a probability of (power), if the two shares had been equal. If there is none,
 * the growth that makes the share 1.
 */
double two_proportions_detectable(const struct two_proportions *s, double level,
                                  double power);

#endif
