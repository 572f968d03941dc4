/* SPDX-License-Identifier: BSD-2-Clause */
/* The rare parts of the schedule: its beginning, and being very late. */
#include "schedule.h"

uint64_t tprof_seed(uint64_t seed, uint32_t core)
{
    /* splitmix64's finalizer */
    seed += ((uint64_t)core + 1) * 0x9e3779b97f4a7c15u;
    seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
    return seed ^ seed >> 31;
}

void tprof_schedule_begin(struct tprof_schedule *s, uint64_t now,
                          uint64_t period)
{
    s->period = period;
    s->deadline = now + 1 + tprof_scale(period, tprof_random(&s->random));
}

void tprof_schedule_catch_up(struct tprof_schedule *s, uint64_t now,
                             struct tprof_due *due)
{
    for (int i = 0; i < TPROF_SCHEDULE_DRAWS; i++) {
        due->weight++;
        s->deadline += tprof_interval(s);
        if ((int64_t)(s->deadline - now) > 0)
            return;
    }
    /* far behind: the mean is as good as drawing, and takes no loop */
    uint64_t missed = (now - s->deadline) / s->period + 1;

    due->weight += missed;
    due->by_division = 1;
    s->deadline += missed * s->period;
    if ((int64_t)(s->deadline - now) <= 0)
        s->deadline = now + 1;
}
