/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the times of samples. The interval between two deadlines is drawn
 * from U[0.5, 1.5] x period, so no periodic work can keep step with the
 * samples. An interval begins at the previous deadline, not at the tick, so a
 * late tick does not delay the next one. Otherwise code that holds interrupts
 * off would get too few samples. If a tick is so late that further deadlines
 * have passed, these deadlines get no tick of their own, and the weight of the
 * tick grows by one for each.
 */
#ifndef TPROF_SCHEDULE_H
#define TPROF_SCHEDULE_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/compiler.h"

/* Intervals that a late tick draws before it divides instead */
#define TPROF_SCHEDULE_DRAWS 16

/* Deadlines of one core, in units of the clock. While the core samples, only
 * the core's timer interrupt changes them. */
struct tprof_schedule {
    /* The next deadline, or the one that is due. Other cores read this,
     * relaxed, to notice that this core has no ticks. */
    _Atomic uint64_t deadline;
    uint64_t period; /* mean interval */
    uint64_t half;   /* of the period */
    uint64_t random; /* state of the generator */
};

__extension__ typedef unsigned __int128 tprof_u128;

/* (value) x (fraction) / 2^64 */
TPROF_HOT uint64_t tprof_scale(uint64_t value, uint64_t fraction)
{
    return (uint64_t)((tprof_u128)value * fraction >> 64);
}

TPROF_HOT uint64_t tprof_random_after(uint64_t state)
{
    return state * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
}

TPROF_HOT uint64_t tprof_schedule_deadline(const struct tprof_schedule *s)
{
    return atomic_load_explicit(&s->deadline, memory_order_relaxed);
}

TPROF_HOT void tprof_schedule_set(struct tprof_schedule *s, uint64_t deadline)
{
    atomic_store_explicit(&s->deadline, deadline, memory_order_relaxed);
}

/* Returns 64 random bits. The upper ones are better than the lower ones. */
TPROF_HOT uint64_t tprof_random(uint64_t *state)
{
    *state = tprof_random_after(*state);
    return *state;
}

/* Returns the interval for 64 random bits (random). */
TPROF_HOT uint64_t tprof_interval(const struct tprof_schedule *s,
                                  uint64_t random)
{
    return s->half + tprof_scale(s->period, random);
}

/* Returns the first state of the generator of (core), from (seed). Mixes both
 * well, because cores that start at the same moment must differ. */
uint64_t tprof_seed(uint64_t seed, uint32_t core);

/* Begins at (now) with (period); the first interval is random too. */
void tprof_schedule_begin(struct tprof_schedule *s, uint64_t now,
                          uint64_t period);

/*
 * Moves to the next deadline after the tick at (now). Returns the time from
 * (now) to it. If that deadline has passed, too, returns 0 and changes nothing:
 * call tprof_schedule_catch_up().
 */
TPROF_HOT uint64_t tprof_schedule_advance(struct tprof_schedule *s,
                                          uint64_t now)
{
    uint64_t random = tprof_random_after(s->random);
    uint64_t next = tprof_schedule_deadline(s) + tprof_interval(s, random);

    if (__builtin_expect((int64_t)(next - now) <= 0, 0))
        return 0;
    s->random = random;
    tprof_schedule_set(s, next);
    return next - now;
}

/*
 * Moves to the first deadline after (now). Returns the number of deadlines that
 * this tick covers, at least 1. Sets (*by_division) to 1 if there were too many
 * to draw each.
 */
uint64_t tprof_schedule_catch_up(struct tprof_schedule *s, uint64_t now,
                                 int *by_division);

#endif
