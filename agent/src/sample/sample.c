/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes any sample as records. The frequent case is inline in sample.h. */
#include "sample/sample.h"

#include "sample/longrec.h"

/* Number of time units in a period. More units make a unit finer. With fewer
 * units, an interval of up to 1.5 periods fits a short cell. */
#define PERIOD_UNITS_MAX ((1u << (WIRE_CELL_DT_BITS - 1)) - 1)

/* Number of words after which the known place moves. Before it moves, up to a
 * watermark more and the records of one sample may be written:
 * TPROF_KNOWN_WORDS. */
#define KNOWN_BEHIND 64u

/* Number of words between two calls for the pump, if the pump does not come. */
#define AGAIN 16u

__attribute__((cold, noinline)) void
tprof_sample_place(struct tprof_recorder *r, struct tprof_place *end)
{
    r->counts.samples =
        r->counts.ticks - r->counts.ring_full - r->counts.reentered;
    tprof_arch_copy(end->counter, &r->counts.samples, sizeof end->counter);
    for (uint32_t i = 0; i < WIRE_DROP_REASONS; i++) {
        end->counter[WIRE_COUNTER_RING_FULL + i] -= r->lost[i].ticks;
        end->counter[WIRE_COUNTER_MISSED] -= r->lost[i].missed;
    }
    end->tail = tprof_ring_tail(&r->ring);
}

/* (unwritten): samples, 0 or 1, that are counted and not in the ring yet. */
static __attribute__((cold, noinline)) void know(struct tprof_recorder *r,
                                                 uint32_t unwritten)
{
    uint32_t next =
        !atomic_load_explicit(&r->known_in_use, memory_order_relaxed);

    tprof_sample_place(r, &r->known[next]);
    r->known[next].counter[WIRE_COUNTER_SAMPLES] -= unwritten;
    /* release: after a reset this core finds the place complete */
    atomic_store_explicit(&r->known_in_use, next, memory_order_release);
}

void tprof_sample_know(struct tprof_recorder *r)
{
    know(r, 0);
}

__attribute__((cold)) void tprof_sample_begin(struct tprof_recorder *r,
                                              uint64_t now, uint64_t period,
                                              uint32_t depth)
{
    r->shift = 0;
    while (period >> r->shift > PERIOD_UNITS_MAX)
        r->shift++;
    r->period = (uint32_t)(period >> r->shift);
    r->depth = depth;
    r->began = now | 1; /* not 0 */
    r->unwritten = 1;
    r->slow_at_tail = tprof_ring_tail(&r->ring);
    r->last = &r->chain[0];
    r->spare = &r->chain[1];
    r->last->count = 0;
    /* a later place would be right as well, but then half of the ring might
     * never be written */
    if (tprof_sample_is_half(r))
        tprof_sample_place(r, &r->anew);
}

__attribute__((cold)) void tprof_sample_drop(struct tprof_recorder *r,
                                             uint32_t reason, uint64_t weight)
{
    uint32_t i = reason - WIRE_COUNTER_RING_FULL;

    if (reason == WIRE_COUNTER_RING_FULL)
        r->counts.ring_full++;
    else
        r->counts.reentered++;
    r->lost[i].ticks++;
    r->lost[i].missed += weight - 1;
    r->unwritten = 1;
    r->slow_at_tail = tprof_ring_tail(&r->ring);
}

static __attribute__((cold)) int write_begin(struct tprof_recorder *r)
{
    const uint64_t value[] = {r->began, r->shift, r->period,
                              (uint16_t)r->stacks.epoch, r->images};

    if (!tprof_long_write(&r->ring, WIRE_LONG_BEGIN, value, 5))
        return 0;
    r->time = r->began >> r->shift;
    r->began = 0;
    /* with requests, a core without a thread may have one */
    atomic_store_explicit(
        &r->told,
        atomic_load_explicit(&r->request_of, memory_order_relaxed) ? UINT64_MAX
                                                                   : 0,
        memory_order_relaxed);
    return 1;
}

/* Writes a REQUEST record after the THREAD record of thread (id). Returns 0 if
 * there is no room. */
static int write_request(struct tprof_recorder *r, uint64_t id)
{
    bool (*request_of)(const struct tprof_recorder *, uint64_t, uint64_t *) =
        atomic_load_explicit(&r->request_of, memory_order_acquire);
    uint64_t value[2];

    return !request_of || !request_of(r, id, value) ||
           tprof_long_write(&r->ring, WIRE_LONG_REQUEST, value, 2);
}

/* Writes a THREAD record of thread (id) for the next samples. */
static int write_thread_of(struct tprof_recorder *r, uint64_t id)
{
    uint32_t (*serial_of)(uint64_t) =
        atomic_load_explicit(&r->serial_of, memory_order_relaxed);
    const uint64_t value[] = {serial_of ? serial_of(id) : 0, id};

    if (!tprof_long_write(&r->ring, WIRE_LONG_THREAD, value, 2))
        return 0;
    atomic_store_explicit(&r->told, id, memory_order_relaxed);
    /* seq_cst: pairs with the fence in tell_again(), request_calls.c */
    atomic_thread_fence(memory_order_seq_cst);
    if (write_request(r, id))
        return 1;
    /* the host knows the thread, but not the request: both again */
    atomic_store_explicit(&r->told, ~id, memory_order_relaxed);
    return 0;
}

static int write_thread(struct tprof_recorder *r)
{
    return write_thread_of(
        r, atomic_load_explicit(&r->running, memory_order_relaxed));
}

TPROF_COLD int write_lost(struct tprof_recorder *r, uint32_t i)
{
    const uint64_t value[] = {WIRE_COUNTER_RING_FULL + i, r->lost[i].ticks,
                              r->lost[i].missed};

    if (!tprof_long_write(&r->ring, WIRE_LONG_LOST, value, 3))
        return 0;
    r->lost[i] = (struct tprof_lost){0, 0};
    return 1;
}

/* Writes the records that must come before the next sample. Returns 0 if there
 * is no room for them. */
static int write_owed(struct tprof_recorder *r)
{
    for (uint32_t i = 0; i < WIRE_DROP_REASONS; i++) {
        if (r->lost[i].ticks > 0 && !write_lost(r, i))
            return 0;
    }
    if (r->began && !write_begin(r))
        return 0;
    r->unwritten = 0;
    return 1;
}

/* Returns the number of frames that (a) and (b) have in common, from the
 * outermost on. */
static uint32_t shared_frames(const struct tprof_chain *a,
                              const struct tprof_chain *b)
{
    uint32_t most = a->count < b->count ? a->count : b->count;
    const uint64_t *x = a->frame + a->count, *y = b->frame + b->count;
    uint32_t n = 0;

    while (n < most && *--x == *--y)
        n++;
    return n;
}

/* Appends addresses, each as the difference from the one before. (*last) is the
 * address before the first, and becomes the last. */
static void put_addresses(struct tprof_long *l, const uint64_t *address,
                          uint32_t count, uint64_t *last)
{
    for (uint32_t i = 0; i < count; i++) {
        tprof_long_varint(l, tprof_zigzag(address[i] - *last));
        *last = address[i];
    }
}

static int write_stack(struct tprof_recorder *r, uint32_t id,
                       const struct tprof_chain *c, uint32_t common)
{
    struct tprof_long l;
    uint64_t last = r->span.origin;
    uint64_t base = r->span.text.base;

    tprof_long_begin(&l, &r->ring, base ? WIRE_LONG_STACK_AT : WIRE_LONG_STACK);
    if (base)
        tprof_long_varint(&l, base);
    tprof_long_varint(&l, id);
    tprof_long_varint(&l, c->end);
    tprof_long_varint(&l, c->slots);
    for (uint32_t i = 0; i < WIRE_STACK_SLOTS; i++) {
        if (c->slots & 1u << i)
            put_addresses(&l, &c->word[i], 1, &last);
    }
    tprof_long_varint(&l, common);
    tprof_long_varint(&l, c->count - common);
    put_addresses(&l, c->frame, c->count - common, &last);
    if (c->outside)
        tprof_long_varint(&l, c->outside);
    return tprof_long_end(&l);
}

/* Returns the id of the stack (name), whose chain is (r->spare), and defines it
 * if it is new. -1: there is no room for the definition. */
static int32_t find_named(struct tprof_recorder *r, uint64_t name)
{
    struct tprof_chain *c = r->spare;
    bool is_new;
    uint32_t id = tprof_stacks_define(&r->stacks, name, &is_new);

    if (!is_new)
        return (int32_t)id;
    if (!write_stack(r, id, c, shared_frames(r->last, c))) {
        tprof_stacks_undefine(&r->stacks, id);
        return -1;
    }
    r->spare = r->last;
    r->last = c;
    r->counts.stacks++;
    return (int32_t)id;
}

static int32_t find_stack(struct tprof_recorder *r,
                          const struct tprof_sample *s)
{
    uint64_t name =
        tprof_unwind_frames(&r->span, s->at.sp, s->at.fp, r->depth, r->spare);

    if (s->unseen)
        r->spare->end = s->unseen;
    return find_named(r, name + s->unseen);
}

/* Writes a sample as a cell, or as a long record, into which every sample fits.
 */
static int write_sample(struct tprof_recorder *r, const struct tprof_sample *s,
                        uint32_t id)
{
    uint64_t time = s->time >> r->shift;
    uint64_t leaf = s->at.pc - r->span.origin;
    const uint64_t value[] = {
        time > r->time ? time - r->time : 0,
        id,
        tprof_zigzag(s->at.pc - r->span.bounds->image.text.start),
        s->flags,
        s->late >> r->shift,
        s->weight,
    };

    if (s->weight == 1 && s->flags == 0 && leaf < r->span.text.reach &&
        tprof_sample_fits(value[0], value[4]) &&
        tprof_ring_room(&r->ring) > 0) {
        tprof_sample_put(r, tprof_ring_tail(&r->ring), id, value[0], leaf,
                         value[4]);
        return 1;
    }
    if (!tprof_long_write(&r->ring, WIRE_LONG_SAMPLE, value, 6))
        return 0;
    r->time += value[0];
    return 1;
}

/* (unwritten): as know() has it. */
static __attribute__((cold)) int look_ahead(struct tprof_recorder *r,
                                            uint32_t unwritten)
{
    uint32_t room = tprof_ring_room(&r->ring);
    uint32_t used = r->ring.mask + 1 - room;
    uint32_t ahead = room;

    if (tprof_ring_tail(&r->ring) - tprof_sample_known(r)->tail > KNOWN_BEHIND)
        know(r, unwritten);

    if (used < r->watermark)
        ahead = r->watermark - used;
    else if (room > AGAIN) /* the ring is not drained: pump now and then */
        ahead = AGAIN;
    r->slow_at_tail =
        tprof_ring_tail(&r->ring) + (r->unwritten | r->is_slow ? 0 : ahead);
    return used >= r->watermark;
}

__attribute__((cold)) int tprof_sample_look_ahead(struct tprof_recorder *r)
{
    return look_ahead(r, 0);
}

__attribute__((cold)) int tprof_sample_prepare(struct tprof_recorder *r,
                                               uint64_t pc, uint64_t sp)
{
    int has_changed = tprof_unwind_locate(&r->span, pc, sp);

    if (tprof_sample_is_told(r) || r->unwritten || !write_thread(r))
        return has_changed;
    /* At the watermark only the slow way calls the pump. The sample of this
     * tick comes behind the THREAD. */
    return !look_ahead(r, 1);
}

void tprof_sample_take(struct tprof_recorder *r, const struct tprof_sample *s)
{
    int32_t id = -1;

    if ((!r->unwritten || write_owed(r)) &&
        (tprof_sample_is_told(r) || write_thread(r)))
        id = find_stack(r, s);
    if (id < 0 || !write_sample(r, s, (uint32_t)id))
        tprof_sample_drop(r, WIRE_COUNTER_RING_FULL, s->weight);
}

bool tprof_sample_take_named(struct tprof_recorder *r,
                             const struct tprof_sample *s, uint64_t name,
                             uint64_t thread, bool has_chain)
{
    int32_t id = -1;

    if ((!r->unwritten || write_owed(r)) &&
        (atomic_load_explicit(&r->told, memory_order_relaxed) == thread ||
         write_thread_of(r, thread)))
        id = has_chain ? find_named(r, name)
                       : tprof_stacks_search(&r->stacks, name);
    return id >= 0 && write_sample(r, s, (uint32_t)id);
}
