/* SPDX-License-Identifier: BSD-2-Clause */
/* The rare parts of the schedule: its beginning, and very late ticks */
#include "sample/schedule.h"

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
    s->half = period / 2;
    tprof_schedule_set(s,
                       now + 1 + tprof_scale(period, tprof_random(&s->random)));
}

uint64_t tprof_schedule_catch_up(struct tprof_schedule *s, uint64_t now,
                                 int *by_division)
{
    uint64_t deadline = tprof_schedule_deadline(s);
    uint64_t covered = 0;

    do {
        deadline += tprof_interval(s, tprof_random(&s->random));
        covered++;
    } while (covered < TPROF_SCHEDULE_DRAWS && (int64_t)(deadline - now) <= 0);
    if ((int64_t)(deadline - now) <= 0) {
        /* far behind: count mean intervals instead of drawing each one */
        uint64_t passed = (now - deadline) / s->period + 1;

        *by_division = 1;
        deadline += passed * s->period;
        covered += passed;
    }
    tprof_schedule_set(s, deadline);
    return covered;
}
