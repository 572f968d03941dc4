/* SPDX-License-Identifier: BSD-2-Clause */
#include "locks/lock_sums.h"

#include "arch/arch.h"
#include "base/mem.h"
#include "encode/encode.h"
#include "locks/lock_table.h"
#include "locks/lock_waits.h"
#include "threads/thread_entries.h"

/* The entries are numbered: locks, then entries of waits. */
static void clear(uint32_t entry)
{
    if (entry < tprof_lock_table.size)
        tprof_lock_table_clear(entry);
    else
        tprof_lock_waits_clear(entry - tprof_lock_table.size);
}

static void begin(uint64_t now)
{
    atomic_store(&tprof_lock_waits.untimed, 0);
    tprof_lock_sums.since = now;
    atomic_store_explicit(&tprof_agent.locks, TPROF_LOCKS_COUNT,
                          memory_order_release);
}

/* Writes (t) as fields from (tag) on. Reads first what calls write last, so
 * that each part belongs to a time that is in the sum. */
static void put_times(struct tprof_frame *f, uint32_t tag,
                      const struct tprof_lock_times *t)
{
    uint64_t longest = atomic_load(&t->longest);
    uint64_t least = atomic_load(&t->least);
    uint64_t blocked = atomic_load(&t->blocked);
    uint64_t ready = atomic_load(&t->ready);
    uint64_t ticks = atomic_load(&t->ticks);

    least -= least != 0;
    tprof_frame_field(f, tag + WIRE_LOCK_COUNT, atomic_load(&t->count));
    tprof_frame_field(f, tag + WIRE_LOCK_TIME, ticks);
    tprof_frame_field(f, tag + WIRE_LOCK_READY, ready);
    tprof_frame_field(f, tag + WIRE_LOCK_BLOCKED, blocked);
    tprof_frame_field(f, tag + WIRE_LOCK_LEAST,
                      least < longest ? least : longest);
    tprof_frame_field(f, tag + WIRE_LOCK_LONGEST, longest);
}

static int put_lock(struct tprof_frame *f, uint32_t i, bool all)
{
    struct tprof_lock_record *r = &tprof_lock_table.record[i];
    uint64_t since = tprof_lock_sums.since;
    uint64_t events = tprof_lock_table_events(r);

    /* no event since the sums began; or no event since the last frame */
    if (events == 0 || (!all && events == r->told))
        return 0;
    r->told = events;
    tprof_frame_field(f, WIRE_LOCK_ADDRESS,
                      i ? tprof_lock_table_address(r) : 0);
    tprof_thread_entries_put_name(f, WIRE_LOCK_NAME, r->name);
    put_times(f, WIRE_LOCK_WAITS, &r->waits);
    uint64_t held = tprof_lock_holder_since(&r->holder);

    put_times(f, WIRE_LOCK_HOLDS, &r->holds);
    /* else a hold that ends just now may be in HOLDS, too */
    if (held != tprof_lock_holder_since(&r->holder))
        held = 0;
    tprof_frame_field(f, WIRE_LOCK_ACQUIRES, atomic_load(&r->acquires));
    tprof_frame_field(f, WIRE_LOCK_WAITING, atomic_load(&r->waiting));
    tprof_frame_field(f, WIRE_LOCK_MOST_WAITING, atomic_load(&r->most_waiting));
    uint64_t now = tprof_sums_now(); /* all holds have ended before */

    if (held)
        tprof_frame_field(f, WIRE_LOCK_HOLDING, now > held ? now - held : 0);
    if (i == 0)
        tprof_frame_field(f, WIRE_LOCK_UNTIMED,
                          atomic_load(&tprof_lock_waits.untimed));
    tprof_frame_field(f, WIRE_LOCK_NOW, now > since ? now : since);
    tprof_frame_field(f, WIRE_LOCK_SINCE, since);
    return WIRE_LOCK;
}

static int put_wait(struct tprof_frame *f, uint32_t i, bool all)
{
    struct tprof_wait_entry *w = &tprof_lock_waits.table.entry[i];
    const struct tprof_lock_times *t = &tprof_lock_waits.times[i];
    uint32_t told = (uint32_t)atomic_load(&t->count) + 1;

    /* acquire: pairs with the release in fill(), thread_waits.c */
    if (!atomic_load_explicit(&w->is_filled, memory_order_acquire) ||
        told == 1 || (!all && w->told == told))
        return 0;
    w->told = told;
    tprof_frame_field(
        f, WIRE_LOCK_WAIT_ADDRESS,
        w->lock ? tprof_lock_table_address(&tprof_lock_table.record[w->lock])
                : 0);
    tprof_frame_field(f, WIRE_LOCK_WAIT_KIND, w->kind);
    tprof_frame_field(f, WIRE_LOCK_WAIT_SERIAL, w->serial);
    tprof_thread_entries_put_stack(f, WIRE_LOCK_WAIT_STACK, w);
    tprof_frame_field(f, WIRE_LOCK_WAIT_END, w->end);
    tprof_frame_field(f, WIRE_LOCK_WAIT_ENTRY, i);
    put_times(f, WIRE_LOCK_WAIT_TIMES, t);
    return WIRE_LOCK_WAIT;
}

static int put(struct tprof_frame *f, uint32_t entry, bool all)
{
    if (entry < tprof_lock_table.size)
        return put_lock(f, entry, all);
    return put_wait(f, entry - tprof_lock_table.size, all);
}

struct tprof_lock_sums tprof_lock_sums = {
    .part = {.clear = clear, .begin = begin, .put = put},
};
