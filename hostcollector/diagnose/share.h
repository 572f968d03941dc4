/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A share of the samples' time, and how far it can be trusted.
 *
 * A sample is weighted by the time that it stands for. A share is a quotient of
 * weights. Its interval is that of as many samples as the weights are worth;
 * fewer, if those of the part are heavier than others.
 */
#ifndef TPROF_DIAGNOSE_SHARE_H
#define TPROF_DIAGNOSE_SHARE_H

#include "model/view.h"

/* Of the 95 % interval: the 97.5th percentile of a normal. */
#define SHARE_Z 1.959963984540054

/* A share with its 95 % interval, each from 0 to 1; low <= p <= high. */
struct share {
    double p;
    double low, high;
};

/*
 * How many equally weighted samples (a) is worth: (sum w)^2 / sum w^2; 0 for
 * none. It never exceeds a->samples.
 */
double share_effective(const struct amount *a);

/*
 * The share of (part) in (whole), with Wilson's score interval; (part) is a
 * subset of (whole). An empty (whole) gives 0 with the interval 0 to 1. Where
 * part->time_sq is 0, it is taken for not known.
 */
struct share share_of(const struct amount *part, const struct amount *whole);

/* The share (p) of (n) equally weighted samples, above 0, with Wilson's score
 * interval of (z) standard errors. */
struct share share_wilson(double p, double n, double z);

/* The one number behind a "+-": how far (s) may be off, either way. */
static inline double share_margin(struct share s)
{
    return s.high - s.p > s.p - s.low ? s.high - s.p : s.p - s.low;
}

#endif
