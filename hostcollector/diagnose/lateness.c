/* SPDX-License-Identifier: BSD-2-Clause */
#include "diagnose/lateness.h"

#include <math.h>

/* Less deserves no mark, ... */
#define LATE_MIN   .2
/* ... and, where the host makes all code late, nothing below so many times the
 * part of all. */
#define LATE_TIMES 2

double lateness_part(double late, double time)
{
    return time > 0 ? fmin(late / time, 1) : 0;
}

/* Are samples late whatever the code does? A core that sleeps lets interrupts
 * in, so if its ticks are late, that is the machine. */
static bool all_is_late(const struct profile *p, const struct view *v)
{
    double late = -v->total.late;

    for (size_t i = 0; i < p->core_count; i++)
        late += p->cores[i].total.late_time;
    return v->total.idle.time > 0 && late > LATE_MIN * v->total.idle.time;
}

double lateness_least(const struct profile *p, const struct view *v,
                      bool host_short)
{
    const struct view_scope *all = &v->total;

    if (p->guest.features & WIRE_FEATURE_OUTSIDE)
        return LATENESS_NEVER;
    if (!host_short && !all_is_late(p, v))
        return LATE_MIN;
    return fmax(LATE_MIN,
                LATE_TIMES * lateness_part(all->late, all->busy.time));
}
