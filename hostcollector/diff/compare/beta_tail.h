/* SPDX-License-Identifier: BSD-2-Clause */
/* Tails of the distributions that a comparison needs. Pure. */
#ifndef TPROF_DIFF_COMPARE_BETA_TAIL_H
#define TPROF_DIFF_COMPARE_BETA_TAIL_H

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

#endif
