/* SPDX-License-Identifier: BSD-2-Clause */
#include "diagnose/lateness.h"

#include <math.h>

/* Code with less lateness gets no mark. */
#define LATE_MIN   .2
/* If all code is late, code gets a mark if it is this many times as late. */
#define LATE_TIMES 2
/*
 * All code counts as late if even the least late code is late: LATE_TENTH of
 * the busy time. Code that turns interrupts off leaves more time than
 * LATE_TENTH to other code.
 */
#define LATE_TENTH .1

double lateness_part(double late, double time)
{
    return time > 0 ? fmin(late / time, 1) : 0;
}

/* Are samples late in any code? An idle core has interrupts on, so if its ticks
 * are late, the machine is the cause. */
static bool all_is_late(const struct profile *p, const struct view *v)
{
    double late = -v->total.late;

    for (size_t i = 0; i < p->core_count; i++)
        late += p->cores[i].total.late_time;
    return v->total.idle.time > 0 && late > LATE_MIN * v->total.idle.time;
}

/* Returns the lateness that the least late code, LATE_TENTH of the busy time,
 * does not exceed; in hundredths, rounded up. */
static double least_late(const struct view_scope *all)
{
    double time[101] = {0}, sum = 0;
    size_t i = 0;

    for (size_t row = 0; row < all->row_count; row++) {
        const struct view_row *r = &all->rows[row];
        double part = lateness_part(r->late, r->self.time);

        time[(size_t)ceil(100 * part)] += r->self.time;
    }
    for (; i < 100; i++) {
        sum += time[i];
        if (sum >= LATE_TENTH * all->busy.time)
            break;
    }
    return (double)i / 100;
}

double lateness_least(const struct profile *p, const struct view *v,
                      bool host_short)
{
    const struct view_scope *all = &v->total;
    double part = least_late(all);

    if (p->guest.features & WIRE_FEATURE_OUTSIDE)
        return LATENESS_NEVER;
    if (host_short || all_is_late(p, v))
        part = fmax(part, lateness_part(all->late, all->busy.time));
    return fmax(LATE_MIN, LATE_TIMES * part);
}
