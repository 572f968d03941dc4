/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes one tick as one record into the core's ring. Its chain gets an id. Id,
 * leaf, time and lateness almost always fit into one word.
 *
 * tprof_sample_quick() handles this case, inline in the tick: the stack is
 * known, it lies in the image and range of the last stack, the thread is that
 * of the last sample, and the record fits one word. If the function declines,
 * the tick calls tprof_sample_prepare(), and tries again if image, range or
 * thread have changed. If the function declines again, the tick calls
 * tprof_sample_take().
 */
#ifndef TPROF_SAMPLE_H
#define TPROF_SAMPLE_H

#include "base/compiler.h"
#include "sample/record.h"

/* Stores in (end) the place at which the ring of (r) ends. Losses of (r) that
 * no record mentions yet belong after that place. */
void tprof_sample_place(struct tprof_recorder *r, struct tprof_place *end);

/* Stores the place at which the ring ends now in (r->known), by the same rule.
 */
void tprof_sample_know(struct tprof_recorder *r);

/* Returns a place in the ring, not far before the tail, that is always
 * complete. */
static inline const struct tprof_place *
tprof_sample_known(const struct tprof_recorder *r)
{
    return &r->known[atomic_load_explicit(&r->known_in_use,
                                          memory_order_relaxed)];
}

/* Was half of the ring written since (r->anew)? The ring has room for two such
 * halves, although each half may be noticed up to a watermark late. */
static inline int tprof_sample_is_half(struct tprof_recorder *r)
{
    return tprof_ring_tail(&r->ring) - r->anew.tail + r->watermark >=
           r->ring.mask / 2;
}

/* Begins a session at (now), with (period) in clock ticks, at most (depth)
 * frames in a stack, and an empty dictionary. */
void tprof_sample_begin(struct tprof_recorder *r, uint64_t now, uint64_t period,
                        uint32_t depth);

/* Writes (s) into the ring, or counts the reason why it cannot. In the core's
 * tick, after tprof_sample_prepare() or tprof_unwind_locate() for this sample.
 */
void tprof_sample_take(struct tprof_recorder *r, const struct tprof_sample *s);

/* Writes (s) into the ring like tprof_sample_take(), for a stack that was
 * walked before: it has (name), and was of (thread). (has_chain): its chain is
 * (r->spare). Otherwise the stack must have an id already. Returns false if the
 * sample cannot be written; the caller counts it. */
bool tprof_sample_take_named(struct tprof_recorder *r,
                             const struct tprof_sample *s, uint64_t name,
                             uint64_t thread, bool has_chain);

/* Computes (r->slow_at_tail) anew. Returns 1 if the ring has reached its
 * watermark. */
int tprof_sample_look_ahead(struct tprof_recorder *r);

/* Prepares a sample at (pc) and (sp): finds the image and the range. Writes a
 * THREAD record if the core runs another thread, unless another record has to
 * come first. Returns 1 if image, range or thread have changed: then
 * tprof_sample_quick() is worth another try. */
int tprof_sample_prepare(struct tprof_recorder *r, uint64_t pc, uint64_t sp);

/* Counts a tick that covers (weight) deadlines and leaves no record. (reason)
 * is a WIRE_COUNTER_*. */
void tprof_sample_drop(struct tprof_recorder *r, uint32_t reason,
                       uint64_t weight);

/* Returns the number of bits of (value) without leading zeros; 0 for 0. */
TPROF_HOT uint64_t tprof_bit_length(uint64_t value)
{
    return 63 - (uint64_t)__builtin_clzll(value * 2 + 1);
}

/* Writes a short sample at the (tail) of a ring that has room. */
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

/* Was the thread of this core named by the last THREAD record? */
TPROF_HOT int tprof_sample_is_told(const struct tprof_recorder *r)
{
    return atomic_load_explicit(&r->running, memory_order_relaxed) ==
           atomic_load_explicit(&r->told, memory_order_relaxed);
}

/*
 * Writes a sample of weight 1 without flags. Returns 1; 0 if nothing was done.
 *
 * One comparison of the tail with (slow_at_tail) tests three conditions: there
 * is room, the watermark is not reached, and no other record has to come first.
 * See tprof_sample_look_ahead(). (*pc) is read last, so that the walk has one
 * more register.
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
    uint32_t tail = tprof_ring_tail(&r->ring);

    /* each comparison by itself, so that few values are in registers */
    if (__builtin_expect(
            tail == r->slow_at_tail || id < 0 || !tprof_sample_is_told(r), 0))
        return 0;
    uint64_t leaf = *pc - r->span.origin;

    if (__builtin_expect(leaf >= r->span.text.reach, 0))
        return 0;
    /* after a clock went back these are huge, and do not fit */
    uint64_t units = (time >> r->shift) - r->time;

    late >>= r->shift;
    if (__builtin_expect(!tprof_sample_fits(units, late), 0))
        return 0;
    tprof_sample_put(r, tail, (uint64_t)id, units, leaf, late);
    return 1;
}

#endif
