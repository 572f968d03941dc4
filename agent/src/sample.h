/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One tick becomes one record in the core's ring: its chain gets an id, and id,
 * leaf, time and lateness fit into one word nearly always.
 *
 * tprof_sample_quick() is that case, inline in the tick: the stack is known, it
 * lies in the image and range of the last one, and the record fits one word.
 * When it declines, the tick calls tprof_unwind_locate() and tries once more if
 * image or range are others now. What is declined again is for
 * tprof_sample_take().
 */
#ifndef TPROF_SAMPLE_H
#define TPROF_SAMPLE_H

#include "compiler.h"
#include "record.h"

/* Where the ring of (r) ends, into (end). What (r) has lost and not told comes
 * after that place. */
void tprof_sample_place(struct tprof_recorder *r, struct tprof_place *end);

/* (r->known) is where the ring ends now, by the same rule. */
void tprof_sample_know(struct tprof_recorder *r);

/* A place not far behind the tail. */
static inline const struct tprof_place *
tprof_sample_known(const struct tprof_recorder *r)
{
    return &r->known[atomic_load_explicit(&r->known_in_use,
                                          memory_order_relaxed)];
}

/* Was half of the ring written since (r->anew)? Two such halves fit the ring,
 * though one is noticed up to a watermark's words late. */
static inline int tprof_sample_is_half(struct tprof_recorder *r)
{
    return tprof_ring_tail(&r->ring) - r->anew.tail + r->watermark >=
           r->ring.mask / 2;
}

/* Begins anew at (now), with (period) in clock ticks and at most (depth) frames
 * in a stack. The dictionary is empty. */
void tprof_sample_begin(struct tprof_recorder *r, uint64_t now, uint64_t period,
                        uint32_t depth);

/* Writes (s) down, or counts why not. In the core's tick, after
 * tprof_unwind_locate() for this sample. */
void tprof_sample_take(struct tprof_recorder *r, const struct tprof_sample *s);

/* Works out (r->slow_at_tail) anew. Returns 1 when the ring has reached its
 * watermark. */
int tprof_sample_look_ahead(struct tprof_recorder *r);

/* Counts a tick that covers (weight) deadlines and leaves no record, for
 * (reason), a WIRE_COUNTER_*. */
void tprof_sample_drop(struct tprof_recorder *r, uint32_t reason,
                       uint64_t weight);

/* Bits of (value) without leading zeros; 0 for 0. */
TPROF_HOT uint64_t tprof_bit_length(uint64_t value)
{
    return 63 - (uint64_t)__builtin_clzll(value * 2 + 1);
}

/* Puts a short sample at the (tail) of a ring that has room. */
TPROF_HOT void tprof_sample_put(struct tprof_recorder *r, uint32_t tail,
                                uint64_t id, uint64_t units, uint64_t leaf,
                                uint64_t late)
{
    r->ring.words[tail & r->ring.mask] =
        id << WIRE_CELL_ID_SHIFT | units << WIRE_CELL_DT_SHIFT |
        leaf << WIRE_CELL_LEAF_SHIFT |
        tprof_bit_length(late) << WIRE_CELL_LATE_SHIFT |
        (uint64_t)1 << TPROF_RING_COUNT_SHIFT;
    tprof_ring_publish(&r->ring, tail + 1);
    r->time += units;
}

/* Do time and lateness fit a short cell? */
TPROF_HOT int tprof_sample_fits(uint64_t units, uint64_t late)
{
    return (units >> WIRE_CELL_DT_BITS | late >> WIRE_CELL_LATE_MAX) == 0;
}

/*
 * Writes down a sample of weight 1 without flags. Returns 1, or 0: nothing was
 * done.
 *
 * One comparison of the tail with (slow_at_tail) tells whether there is room,
 * the watermark is not reached, and nothing has to be written before: see
 * tprof_sample_look_ahead(). (*pc) is read last, so that the walk has one more
 * register.
 */
TPROF_HOT int tprof_sample_quick(struct tprof_recorder *r, const uint64_t *pc,
                                 uint64_t sp, uint64_t fp, uint64_t time,
                                 uint64_t late)
{
    struct tprof_outermost o;
    uint64_t name = tprof_unwind_quick(&r->span, sp, fp, r->depth, &o);
    int32_t id = (int32_t)tprof_stacks_home(&r->stacks, name);

    if (__builtin_expect(r->stacks.slots[id] != name, 0))
        id = tprof_stacks_search(&r->stacks,
                                 tprof_unwind_rootless(&r->span, sp, name, o));
    /* a clock that went back makes these huge, and so not fit */
    uint64_t units = (time >> r->shift) - r->time;
    uint64_t leaf = *pc - r->span.origin;
    uint32_t tail = tprof_ring_tail(&r->ring);

    late >>= r->shift;
    if (__builtin_expect(tail == r->slow_at_tail || id < 0 ||
                             leaf >= r->span.text.reach ||
                             !tprof_sample_fits(units, late),
                         0))
        return 0;
    tprof_sample_put(r, tail, (uint64_t)id, units, leaf, late);
    return 1;
}

#endif
