/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When to sample. The interval between two deadlines is drawn from
 * U[0.5, 1.5] x period, so that no periodic work keeps step with it, and is
 * counted from the previous deadline, so that being late does not make the
 * next sample later: code that holds interrupts off would be seen too seldom.
 * A deadline that has passed before its turn gets no tick of its own; the tick
 * that covers it weighs one more.
 */
#ifndef TPROF_SCHEDULE_H
#define TPROF_SCHEDULE_H

#include <stdint.h>

#define TPROF_SCHEDULE_DRAWS 16 /* before a late tick turns to division */

/* All in TSC ticks. Owned by one core's tick. */
struct tprof_schedule {
    uint64_t deadline; /* the next one, or the one that is due */
    uint64_t period;   /* mean interval */
    uint64_t random;   /* state of the generator */
};

/* What a tick found. */
struct tprof_due {
    uint64_t late;   /* TSC ticks after its deadline */
    uint64_t weight; /* deadlines covered: 1 + those that were missed */
    int by_division; /* so many that they were counted by division */
};

__extension__ typedef unsigned __int128 tprof_u128;

/* (value) x (fraction) / 2^64 */
static inline uint64_t tprof_scale(uint64_t value, uint64_t fraction)
{
    return (uint64_t)((tprof_u128)value * fraction >> 64);
}

/* 64 random bits, of which the upper ones are good. */
static inline uint64_t tprof_random(uint64_t *state)
{
    *state = *state * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
    return *state;
}

static inline uint64_t tprof_interval(struct tprof_schedule *s)
{
    return s->period / 2 + tprof_scale(s->period, tprof_random(&s->random));
}

/* The generator for (core), from (seed). Cores that one interrupt started at
 * the same TSC must differ, so the number is mixed well. */
uint64_t tprof_seed(uint64_t seed, uint32_t core);

/* Begins at (now) with (period); the first interval is random too. */
void tprof_schedule_begin(struct tprof_schedule *s, uint64_t now,
                          uint64_t period);

/* Passes over the deadlines up to (now), where the next one is in the past. */
void tprof_schedule_catch_up(struct tprof_schedule *s, uint64_t now,
                             struct tprof_due *due);

/* The tick at (now), at or after the deadline: what it covers. Afterwards
 * s->deadline is the next one, after (now). */
static inline struct tprof_due tprof_schedule_tick(struct tprof_schedule *s,
                                                   uint64_t now)
{
    struct tprof_due due = {now - s->deadline, 1, 0};

    if ((int64_t)due.late < 0) /* the timer's clock runs a trifle fast */
        due.late = 0;
    s->deadline += tprof_interval(s);
    if (__builtin_expect((int64_t)(s->deadline - now) <= 0, 0))
        tprof_schedule_catch_up(s, now, &due);
    return due;
}

#endif
