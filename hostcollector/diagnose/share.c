/* SPDX-License-Identifier: BSD-2-Clause */
/* Wilson's interval over weighted samples. */
#include "diagnose/share.h"

#include <math.h>

static const double z = 1.959963984540054; /* 97.5th percentile of a normal */

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

struct share share_of(const struct amount *part, const struct amount *whole)
{
    double n = share_effective(whole);

    if (n <= 0)
        return (struct share){0, 0, 1};

    double p = clamp(part->time / whole->time, 0, 1);
    double scale = 1 + z * z / n;
    double center = (p + z * z / (2 * n)) / scale;
    double half = z / scale * sqrt(p * (1 - p) / n + z * z / (4 * n * n));

    /* at 0 and 1 the formula meets p but for rounding */
    return (struct share){p, clamp(center - half, 0, p),
                          clamp(center + half, p, 1)};
}
