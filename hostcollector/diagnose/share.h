/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A share of the samples' time, with its 95 % interval.
 *
 * The weight of a sample is the time that it stands for. A share is a quotient
 * of two sums of weights. Its interval is computed as for a smaller number of
 * samples that all have the same weight. This number falls further if the
 * samples of the part are heavier than the others.
 */
#ifndef TPROF_DIAGNOSE_SHARE_H
#define TPROF_DIAGNOSE_SHARE_H

#include "model/view.h"

/* The 97.5th percentile of a normal distribution, for 95 % intervals. */
#define SHARE_Z 1.959963984540054

/* A share with its 95 % interval, each from 0 to 1; low <= p <= high. */
struct share {
    double p;
    double low, high;
};

/* Returns the number of samples with the same weight that (a) is worth: (sum
 * w)^2 / sum w^2; 0 for no samples. It never exceeds a->samples. */
double share_effective(const struct amount *a);

/*
 * Returns the share of (part) in (whole), with Wilson's score interval. (part)
 * is a subset of (whole). If (whole) is empty, the share is 0 with the interval
 * 0 to 1. If part->time_sq is 0, the weights of the part are unknown.
 */
struct share share_of(const struct amount *part, const struct amount *whole);

/* The share (p) of (n) equally weighted samples, (n) above 0, with Wilson's
 * score interval of (z) standard errors. */
struct share share_wilson(double p, double n, double z);

/* The larger distance from (s) to an end of its interval. */
static inline double share_margin(struct share s)
{
    return s.high - s.p > s.p - s.low ? s.high - s.p : s.p - s.low;
}

/* Room for the texts below. */
#define SHARE_TEXT 24

/* Write the text below "+-" in reports, in percent and at most 5 columns:
 * share_margin(). If the margin is larger than the share, write the upper end
 * of the interval, as "<1.9". Returns (buf). */
const char *share_error(char buf[SHARE_TEXT], struct share s);

/* Write (s) with its error, in percent: "12.3 +- 0.8" or "0.4 (<1.9)". Returns
 * (buf). */
const char *share_text(char buf[SHARE_TEXT], struct share s);

#endif
