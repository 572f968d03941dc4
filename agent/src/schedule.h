/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When to sample. The interval between two deadlines is drawn from
 * U[0.5, 1.5] x period, so that no periodic work keeps step with the samples.
 * It is counted from the previous deadline, so that a late tick does not make
 * the next one later: else code that holds interrupts off would be seen too
 * seldom. When a tick comes so late that further deadlines are over, these get
 * no tick of their own, and that tick's weight grows by one for each.
 */
#ifndef TPROF_SCHEDULE_H
#define TPROF_SCHEDULE_H

#include <stdatomic.h>
#include <stdint.h>

#include "compiler.h"

/* Intervals that a late tick draws, before it divides instead. */
#define TPROF_SCHEDULE_DRAWS 16

/* All in clock ticks. Owned by one core's tick. */
struct tprof_schedule {
    /* The next deadline, or the one that is due. Other cores read this,
     * relaxed, to see that this core's ticks stay away. */
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

/* 64 random bits, of which the upper ones are good. */
TPROF_HOT uint64_t tprof_random(uint64_t *state)
{
    *state = tprof_random_after(*state);
    return *state;
}

/* The interval that 64 random bits (random) stand for. */
TPROF_HOT uint64_t tprof_interval(const struct tprof_schedule *s,
                                  uint64_t random)
{
    return s->half + tprof_scale(s->period, random);
}

/* The first state of the generator of (core), from (seed). The numbers are
 * mixed well, since cores that start at the same moment must differ. */
uint64_t tprof_seed(uint64_t seed, uint32_t core);

/* Begins at (now) with (period); the first interval is random too. */
void tprof_schedule_begin(struct tprof_schedule *s, uint64_t now,
                          uint64_t period);

/*
 * After the tick at (now): goes on to the next deadline. Returns how far that
 * is. Returns 0 and changes nothing if that one is over, too; then
 * tprof_schedule_catch_up() is to be called.
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
 * Goes on to the first deadline after (now). Returns how many deadlines this
 * tick covers, at least 1. (*by_division) becomes 1 if they were too many to be
 * drawn.
 */
uint64_t tprof_schedule_catch_up(struct tprof_schedule *s, uint64_t now,
                                 int *by_division);

#endif
