/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One tick becomes one record in the core's ring: the chain gets its id, and
 * id, leaf, time and lateness fit into one word nearly always.
 *
 * tprof_sample_quick() is that case, inline in the tick: a known stack where
 * the last one was, and all of it fits. What it declines may be elsewhere, so
 * it is located (unwind.h); whatever is declined then is for
 * tprof_sample_take().
 */
#ifndef TPROF_SAMPLE_H
#define TPROF_SAMPLE_H

#include "compiler.h"
#include "record.h"

/* Begins anew: new period (clock ticks) and depth. The dictionary is empty. */
void tprof_sample_begin(struct tprof_recorder *r, uint64_t now, uint64_t period,
                        uint32_t depth);

/* Writes (s) down, or counts why not. Called inside the core's tick; (r->span)
 * is where it is. */
void tprof_sample_take(struct tprof_recorder *r, const struct tprof_sample *s);

/* Works out (r->slow_at_tail) anew. Returns 1 when the ring calls for the pump.
 */
int tprof_sample_look_ahead(struct tprof_recorder *r);

/* Counts a tick that could not even look: (reason) from WIRE_COUNTER_*. */
void tprof_sample_drop(struct tprof_recorder *r, uint32_t reason,
                       uint64_t weight);

/* Bits that (value) has: 0 for 0. */
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

/* Does it fit a short cell? */
TPROF_HOT int tprof_sample_fits(uint64_t units, uint64_t late)
{
    return (units >> WIRE_CELL_DT_BITS | late >> WIRE_CELL_LATE_MAX) == 0;
}

/*
 * A sample of weight 1 without flags. Returns 1, or 0: nothing was done. It
 * is asked about room, watermark and what is unwritten by one comparison: all
 * of them were worked out when the tail was to reach (slow_at_tail). (*pc) is
 * read last, so that the walk has a register more.
 */
TPROF_HOT int tprof_sample_quick(struct tprof_recorder *r, const uint64_t *pc,
                                 uint64_t sp, uint64_t fp, uint64_t time,
                                 uint64_t late)
{
    uint64_t name = tprof_unwind_quick(&r->span, sp, fp, r->depth);
    int32_t id = tprof_stacks_find(&r->stacks, name);
    /* a clock that went back makes these huge, and so not fit */
    uint64_t units = (time >> r->shift) - r->time;
    uint64_t leaf = *pc - r->span.text.start;
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
