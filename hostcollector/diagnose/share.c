/* SPDX-License-Identifier: BSD-2-Clause */
/* A share of the samples' time, with its 95 % interval. */
#include "diagnose/share.h"

#include <math.h>
#include <stdio.h>

double share_effective(const struct amount *a)
{
    if (!(a->time_sq > 0))
        return 0;
    return a->time * a->time / a->time_sq;
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/*
 * Returns the number of samples with the same weight that (whole) is worth for
 * the share (p) of (part).
 *
 * Let S be the sum of the squared weights of the part, and R of the rest. The
 * share has the variance ((1 - p)^2 S + p^2 R) / time^2. So heavy samples in
 * the part, such as late ones, make (p) less certain than
 * share_effective(whole) suggests.
 */
static double worth(const struct amount *part, const struct amount *whole,
                    double p)
{
    double n = share_effective(whole);
    double rest_sq = fmax(whole->time_sq - part->time_sq, 0);
    double spread = (1 - p) * (1 - p) * part->time_sq + p * p * rest_sq;

    if (!(part->time_sq > 0) || !(spread > 0) || p == 1)
        return n;
    return fmin(n, p * (1 - p) * whole->time * whole->time / spread);
}

struct share share_of(const struct amount *part, const struct amount *whole)
{
    if (share_effective(whole) <= 0)
        return (struct share){0, 0, 1};

    double p = clamp(part->time / whole->time, 0, 1);
    return share_wilson(p, worth(part, whole, p), SHARE_Z);
}

struct share share_wilson(double p, double n, double z)
{
    double scale = 1 + z * z / n;
    double center = (p + z * z / (2 * n)) / scale;
    double half = z / scale * sqrt(p * (1 - p) / n + z * z / (4 * n * n));

    /* At p = 0 and 1 an end of the interval is p, except for rounding. If z is
     * infinite, the result is no number; the interval is then 0 to 1. */
    return (struct share){p, fmin(fmax(center - half, 0), p),
                          fmax(fmin(center + half, 1), p)};
}

/* Is the margin of (s) larger than its share, as both are rounded? */
static bool is_vague(struct share s)
{
    return round(1000 * share_margin(s)) > round(1000 * s.p);
}

const char *share_error(char buf[SHARE_TEXT], struct share s)
{
    if (!is_vague(s))
        (void)snprintf(buf, SHARE_TEXT, "%.1f", 100 * share_margin(s));
    else
        (void)snprintf(buf, SHARE_TEXT, s.high < .9995 ? "<%.1f" : "<%.0f",
                       100 * s.high);
    return buf;
}

const char *share_text(char buf[SHARE_TEXT], struct share s)
{
    if (!is_vague(s))
        (void)snprintf(buf, SHARE_TEXT, "%.1f +- %.1f", 100 * s.p,
                       100 * share_margin(s));
    else
        (void)snprintf(buf, SHARE_TEXT,
                       s.high < .9995 ? "%.1f (<%.1f)" : "%.1f (<%.0f)",
                       100 * s.p, 100 * s.high);
    return buf;
}
