/* SPDX-License-Identifier: BSD-2-Clause */
#include "threads/thread_waits.h"

#include "arch/arch.h"

#define WINDOW 8u /* a wait is in one of these entries from its home on */
#define KINDS  2u /* the first entries: for waits that find no other entry */
#define MIX    0x9e3779b97f4a7c15u

struct tprof_thread_waits tprof_thread_waits;

/* Makes (in) and (range) the range that has the frame at (fp). Its size is the
 * number of places for a frame. Returns false if the frame may not be read. */
TPROF_COLD bool find_range(struct tprof_range *in, struct tprof_range *range,
                           uint64_t fp)
{
    const struct tprof_range *r =
        tprof_unwind_range(tprof_thread_waits.bounds, fp, TPROF_FRAME_SIZE);

    if (!r)
        return false;
    in->start = r->start;
    in->size = r->size - TPROF_FRAME_SIZE + 1;
    /* The core may be reset at any moment, and goes on with (range): no frame
     * lies in a half of it. */
    range->size = 0;
    atomic_signal_fence(memory_order_seq_cst);
    range->start = in->start;
    atomic_signal_fence(memory_order_seq_cst);
    range->size = in->size;
    return true;
}

void tprof_thread_waits_walk(struct tprof_callers *c, uint64_t pc, uint64_t fp,
                             struct tprof_range *range)
{
    const struct tprof_bounds *b = tprof_thread_waits.bounds;
    const struct tprof_text text = b->image.text;
    struct tprof_range in = *range;
    uint64_t name = (pc + 1) * MIX;
    uint64_t *frame = c->frame;
    uint64_t *end = frame + tprof_thread_waits.depth;

    *frame++ = pc;
    c->end = WIRE_END_DEPTH;
    if (fp == 0) {
        c->end = WIRE_END_ZERO;
        end = frame;
    }
    while (frame != end) {
        if (__builtin_expect(fp - in.start >= in.size, 0) &&
            !find_range(&in, range, fp)) {
            c->end = WIRE_END_MEMORY;
            break;
        }
        uint64_t address = tprof_arch_return_address(
            tprof_arch_load_add(0, fp + TPROF_FRAME_CALLER));
        uint64_t next = tprof_arch_load_add(1, fp) - 1; /* 0 would be an end */

        if (__builtin_expect(address - text.start >= text.size, 0) &&
            !tprof_unwind_is_text(b, address)) {
            c->end = WIRE_END_TEXT;
            break;
        }
        *frame++ = address;
        name = (name + address) * MIX;
        if (next <= fp) {
            c->end = next == 0 ? WIRE_END_ZERO : WIRE_END_NOT_RISING;
            break;
        }
        fp = next;
    }
    c->name = name;
    c->count = (uint32_t)(frame - c->frame);
}

/* Fills in the new entry (w). */
static void fill(struct tprof_wait_entry *w, uint32_t kind, uint32_t lock,
                 uint32_t serial, const struct tprof_callers *c)
{
    w->kind = (uint16_t)kind;
    w->serial = serial;
    w->lock = lock;
    w->end = (uint16_t)c->end;
    w->frames = c->count;
    for (uint32_t i = 0; i < c->count; i++)
        w->frame[i] = c->frame[i];
    atomic_store_explicit(&w->is_filled, 1, memory_order_release);
}

/* Returns the entry for (kind), (lock), (serial) and (c) among (size) entries
 * of (table) from (first) on. 0: there is no room. */
static uint32_t find_in(const struct tprof_wait_table *table, uint32_t first,
                        uint32_t size, uint32_t kind, uint32_t lock,
                        uint32_t serial, const struct tprof_callers *c)
{
    uint64_t key =
        (((uint64_t)serial << 32 | lock << 1 | kind) + c->name) * MIX;
    uint32_t at = (uint32_t)((key >> 32) * size >> 32);

    key |= 1; /* not 0 */
    for (uint32_t i = 0; i < WINDOW; i++) {
        struct tprof_wait_entry *w = &table->entry[first + at];
        uint64_t is = atomic_load_explicit(&w->key, memory_order_relaxed);

        if (is == key)
            return first + at;
        if (is == 0 && atomic_compare_exchange_strong(&w->key, &is, key)) {
            fill(w, kind, lock, serial, c);
            return first + at;
        }
        if (is == key) /* another core was faster */
            return first + at;
        at = at + 1 < size ? at + 1 : 0;
    }
    return 0;
}

uint32_t tprof_thread_waits_find(const struct tprof_wait_table *table,
                                 uint32_t kind, uint32_t lock, uint32_t serial,
                                 const struct tprof_callers *c)
{
    uint32_t shared = table->size / 4;
    uint32_t own = table->size - shared - KINDS;
    uint32_t entry = find_in(table, KINDS, own, kind, lock, serial, c);

    if (entry == 0)
        entry = find_in(table, KINDS + own, shared, kind, lock, 0, c);
    return entry ? entry : kind;
}

/* Does a walk from the call before (pc) on find the chain of the entry (w)?
 * Return addresses that are equal need no check that they lie in text. An entry
 * with fewer callers than the walk finds has another (end). */
TPROF_HOT bool is_chain(const struct tprof_wait_entry *w, uint64_t pc,
                        uint64_t fp, const struct tprof_range *range)
{
    const struct tprof_range in = *range;
    const uint64_t *frame = w->frame;
    const uint64_t *end = frame + w->frames;

    if (*frame++ != pc || fp == 0)
        return false;
    while (frame < end) {
        if (fp - in.start >= in.size ||
            tprof_arch_load_add(0, fp + TPROF_FRAME_CALLER) != *frame++)
            return false;
        uint64_t next = tprof_arch_load_add(1, fp) - 1;

        if (next <= fp)
            return frame == end &&
                   w->end == (next == 0 ? WIRE_END_ZERO : WIRE_END_NOT_RISING);
        fp = next;
    }
    return w->end == WIRE_END_DEPTH && w->frames == tprof_thread_waits.depth;
}

uint32_t tprof_thread_waits_at(uint32_t last, uint32_t kind, uint32_t serial,
                               uint64_t pc, uint64_t fp,
                               struct tprof_callers *c,
                               struct tprof_range *range)
{
    const struct tprof_wait_table *table = &tprof_thread_waits.table;
    const struct tprof_wait_entry *w = &table->entry[last];

    if (atomic_load_explicit(&w->is_filled, memory_order_acquire) &&
        w->kind == kind && w->serial == serial && is_chain(w, pc, fp, range))
        return last;
    tprof_thread_waits_walk(c, pc, fp, range);
    return tprof_thread_waits_find(table, kind, 0, serial, c);
}

void tprof_thread_waits_add(uint32_t entry, uint64_t ticks)
{
    struct tprof_wait_entry *w = &tprof_thread_waits.table.entry[entry];
    uint64_t longest = atomic_load_explicit(&w->longest, memory_order_relaxed);

    atomic_fetch_add_explicit(&w->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&w->ticks, ticks, memory_order_relaxed);
    for (int tries = 0; tries < 8 && longest < ticks; tries++) {
        /* release: pairs with the acquire in put_wait(), thread_entries.c */
        if (atomic_compare_exchange_strong_explicit(&w->longest, &longest,
                                                    ticks, memory_order_release,
                                                    memory_order_relaxed))
            break;
    }
}

void tprof_thread_waits_clear(const struct tprof_wait_table *table,
                              uint32_t entry)
{
    struct tprof_wait_entry *w = &table->entry[entry];

    tprof_arch_zero(w, sizeof *w);
    if (entry < KINDS) { /* never free */
        w->kind = (uint16_t)entry;
        atomic_store(&w->key, 1);
        atomic_store(&w->is_filled, 1);
    }
}
