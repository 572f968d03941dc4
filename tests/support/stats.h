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
 * at error rate (alpha), two-sided. For (m) intervals that shall all hold with
 * an error rate of alpha together, give each alpha / m (Bonferroni).
 */
struct stats_interval stats_wilson(uint64_t hits, uint64_t n, double alpha);

/*
 * The chance of at least as many as (hits) of (n) samples where each is one
 * with chance (p), or of at most as many, whichever is less, doubled; exact.
 */
double stats_binomial_p(uint64_t hits, uint64_t n, double p);

/*
 * How far (count[k]) is from what (truth[k]), amounts of anything, would lead
 * to expect. (k) at least 2, no truth[] 0.
 */
double stats_pearson_x2(const uint64_t *count, const uint64_t *truth, size_t k);
double stats_pearson_p(const uint64_t *count, const uint64_t *truth, size_t k);
double stats_total_variation(const uint64_t *count, const uint64_t *truth,
                             size_t k);

#endif
