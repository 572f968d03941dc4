/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics that the accuracy tests judge by. Pure functions. */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>
#include <stdint.h>

struct stats_interval {
    double low, high;
};

/* Upper tail: the chance of at least (x2) from (df) degrees of freedom. */
double stats_chi2_p(double x2, unsigned df);

/* The z that a standard normal variable exceeds with chance (p), 0 < p < 1. */
double stats_normal_z(double p);

/*
 * Wilson's score interval of a share of which (hits) of (n) samples were seen,
 * at error rate (alpha), two-sided. Give alpha / m for each of (m) intervals
 * that are to hold together with error rate alpha (Bonferroni).
 */
struct stats_interval stats_wilson(uint64_t hits, uint64_t n, double alpha);

/*
 * Exact binomial test, two-sided: twice the smaller one of the chances of at
 * least (hits) and of at most (hits) in (n) samples, each a hit with chance
 * (p).
 */
double stats_binomial_p(uint64_t hits, uint64_t n, double p);

/*
 * How far (count) is from what (truth), amounts of anything, leads to expect:
 * Pearson's X^2, its chance, and the total variation of the shares. Both have
 * (k) elements, at least 2; no element of (truth) is 0.
 */
double stats_pearson_x2(const uint64_t *count, const uint64_t *truth, size_t k);
double stats_pearson_p(const uint64_t *count, const uint64_t *truth, size_t k);
double stats_total_variation(const uint64_t *count, const uint64_t *truth,
                             size_t k);

#endif
