/* SPDX-License-Identifier: BSD-2-Clause */
/* A share before and after: did it change, by how much, and how large a change
 * would have been seen? Pure. */
#ifndef TPROF_DIFF_COMPARE_TWO_PROPORTIONS_H
#define TPROF_DIFF_COMPARE_TWO_PROPORTIONS_H

/* Index 0 is before, 1 is after. */
struct two_proportions {
    double p[2]; /* 0 to 1 */
    double n[2]; /* equally weighted samples that they are as sure as */
    /* The variance is so many times that of (n) samples, since runs differ; 1
     * or more. (df) are the degrees of freedom of what is known about that;
     * INFINITY: one run a side, and nothing is known. */
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
 * Had the two shares been equal: the least growth that two_proportions_p()
 * would have found below (level) with a probability of (power). What would take
 * the share to 1 if none would.
 */
double two_proportions_detectable(const struct two_proportions *s, double level,
                                  double power);

#endif
