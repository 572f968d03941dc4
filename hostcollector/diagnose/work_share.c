/* SPDX-License-Identifier: BSD-2-Clause */
/* Cost of a unit of the guest's work. */
#include "diagnose/work_share.h"

#include "diagnose/selected.h"

struct work_rate work_of(const struct profile *p, const struct view *v,
                         const struct profile_work *w)
{
    struct selected_range span = selected_span(p);
    double seconds = span.to_s - span.from_s;
    struct work_rate work = {0};

    if (p->tsc_hz == 0 || w->ticks == 0)
        return work;
    work.seconds = (double)w->ticks / (double)p->tsc_hz;
    work.rate = (double)w->units / work.seconds;
    /* units are not known for a part of the time */
    if (w->units != 0 && seconds > 0 && !span.part && !v->idle_unknown)
        work.busy_s =
            v->total.busy.time / (double)p->tsc_hz / seconds / work.rate;
    return work;
}
