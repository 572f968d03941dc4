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

#include <stdatomic.h>
#include <stdint.h>

#include "compiler.h"

#define TPROF_SCHEDULE_DRAWS 16 /* before a late tick turns to division */

/* All in clock ticks. Owned by one core's tick. */
struct tprof_schedule {
    /* The next deadline, or the one that is due. Read by other cores, relaxed:
     * to see that this core's ticks stay away. */
    _Atomic uint64_t deadline;
    uint64_t period; /* mean interval */
    uint64_t half;   /* of that */
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

/* 64 random bits, of which the upper ones are good. */
TPROF_HOT uint64_t tprof_random(uint64_t *state)
{
    *state = tprof_random_after(*state);
    return *state;
}

/* The interval that (random) stands for. */
TPROF_HOT uint64_t tprof_interval(const struct tprof_schedule *s,
                                  uint64_t random)
{
    return s->half + tprof_scale(s->period, random);
}

/* The generator for (core), from (seed). Cores that one interrupt started at
 * the same time must differ, so the number is mixed well. */
uint64_t tprof_seed(uint64_t seed, uint32_t core);

/* Begins at (now) with (period); the first interval is random too. */
void tprof_schedule_begin(struct tprof_schedule *s, uint64_t now,
                          uint64_t period);

/*
 * After the tick at (now): on to the next deadline. Returns how far that is, or
 * 0 and changes nothing when it has passed too; then it is for
 * tprof_schedule_catch_up().
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
 * On to the first deadline after (now). Returns how many this tick covers, at
 * least 1; (*by_division) becomes 1 when they were too many to be drawn.
 */
uint64_t tprof_schedule_catch_up(struct tprof_schedule *s, uint64_t now,
                                 int *by_division);

#endif
