/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sums: when they begin and end, when their frames are sent, and the sums
 * of each core.
 *
 * Cores count while a host takes samples. Before cores begin to count, the pump
 * clears the tables, a slice in each call, when no core is inside a call that
 * counts. Each kind of sums is a part, which is linked only if the kernel calls
 * its functions: threads (thread_entries.h) and others.
 */
#ifndef TPROF_SUMS_H
#define TPROF_SUMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/compiler.h"
#include "state/agent.h"
#include "threads/thread_table.h"
#include "threads/thread_waits.h"

/* Kinds of a core's time, in the order of the tags from WIRE_SCHED_RUNNING
 * on */
enum tprof_core_time {
    TPROF_CORE_RUNNING = 0, /* a thread with a record */
    TPROF_CORE_IDLE = 1,
    TPROF_CORE_UNNAMED = 2, /* no thread, or one without a record */
    TPROF_CORE_TIMES = 3,
    TPROF_CORE_OTHER = 3 /* UNNAMED, but with an id: also (other_running) */
};

/* Buckets of the histogram, which fits one field. The last bucket has all times
 * of at least 2^(TPROF_DELAY_BUCKETS - 2) ticks. */
#define TPROF_DELAY_BUCKETS 40u

/* One core's sums. The core writes them with interrupts off, relaxed; the pump
 * reads them. */
struct tprof_core_sums {
    /* Grows at the start and at the end of each call that counts, so the number
     * is odd inside a call. seq_cst at the start: pairs with the fence in
     * are_cores_outside(), sums.c. Release at the end; acquire in read_core().
     */
    _Alignas(64) _Atomic uint32_t calls;
    _Atomic uint32_t
        was_ready_known;   /* (ready_before) is of the present idle time */
    _Atomic uint64_t last; /* clock: the times are complete up to here */
    _Atomic uint64_t ticks[TPROF_CORE_TIMES];
    _Atomic uint64_t other_running;
    _Atomic uint64_t switches, moved;
    _Atomic uint64_t ready_idle;
    _Atomic uint64_t
        ready_before; /* tprof_sums_ready_ticks() when idle time began */
    _Atomic uint64_t delay[TPROF_DELAY_BUCKETS];
    /* enum tprof_core_time: the kind of the time since (last). Only read if no
     * core counts, because a core that does not call tprof_switch() does not
     * write (does). */
    _Atomic uint32_t does;
    struct tprof_work work; /* of the core, while it runs no thread */
    uint32_t request;       /* the open request that began last on this core */
    struct tprof_thread_record *current; /* of the last switch, or NULL */
    struct tprof_range range;            /* of the last stack that was walked */
    struct tprof_callers callers;
};
_Static_assert(sizeof(struct tprof_core_sums) <= 640,
               "what TPROF_THREADS_MEMORY() promises");

/* A part of the sums: a table of entries, each of which has a frame. The pump
 * calls all functions, under its lock. */
struct tprof_sums_part {
    struct tprof_sums_part *next; /* written by tprof_sums_add_part() */
    uint32_t entries;             /* at least 1 */
    /* Clears an entry. No core counts. */
    void (*clear)(uint32_t entry);
    /* The sums begin at (now). No core counts, unless the part was added after
     * the other parts had begun. */
    void (*begin)(uint64_t now);
    /* Cores may count from now on. May be NULL. */
    void (*follow)(uint64_t now);
    /* The sums have ended at (tprof_sums.stopped). May be NULL. */
    void (*end)(void);
    /* Writes the frame of an entry, an entry that has not changed only if
     * (all). Returns the frame's type; 0 if the entry need not be sent; -1 if a
     * core is changing the entry. */
    int (*put)(struct tprof_frame *f, uint32_t entry, bool all);
};

struct tprof_sums {
    struct tprof_sums_part *_Atomic parts; /* the newest part first */
    /* Cores count. seq_cst in end_counting() and tprof_sums_enter(). */
    _Atomic uint32_t counting;
    /* clock: the time at which cores stopped counting, and at which the sums
     * end. 0: cores count, or nothing was counted. seq_cst, as (counting). */
    _Atomic uint64_t stopped;
    struct tprof_core_sums *core; /* by index */
    uint32_t cores;
    /* Low TPROF_READY_BITS: number of ready threads, without idle threads. High
     * bits: time in which a thread was ready. While a thread is ready, the time
     * at which the first one became ready is subtracted. One exchange changes
     * both numbers. */
    _Atomic uint64_t ready;
    /* An exchange of (ready) has failed: (ready) is wrong from now on. */
    _Atomic uint32_t is_ready_lost;
};
#define TPROF_READY_BITS 16

extern struct tprof_sums tprof_sums;

/* Adds (value) to a sum that only this core writes. */
TPROF_HOT void tprof_sums_add(_Atomic uint64_t *sum, uint64_t value)
{
    atomic_store_explicit(
        sum, atomic_load_explicit(sum, memory_order_relaxed) + value,
        memory_order_relaxed);
}

/* Begins a call that counts, on this core, with interrupts off. Returns whether
 * cores count. tprof_sums_leave() follows in either case. */
TPROF_HOT bool tprof_sums_enter(struct tprof_core_sums *core)
{
    /* odd, even if the core was reset inside a call */
    uint32_t calls =
        atomic_load_explicit(&core->calls, memory_order_relaxed) | 1;

    atomic_exchange(&core->calls, calls);
    return atomic_load(&tprof_sums.counting) != 0;
}

TPROF_HOT void tprof_sums_leave(struct tprof_core_sums *core)
{
    atomic_store_explicit(
        &core->calls,
        atomic_load_explicit(&core->calls, memory_order_relaxed) + 1,
        memory_order_release);
}

/* Returns the kind of a core's time if (t) is the record of its thread. (t) may
 * be NULL. */
TPROF_HOT enum tprof_core_time
tprof_sums_kind(const struct tprof_thread_record *t)
{
    if (!t)
        return TPROF_CORE_UNNAMED;
    return atomic_load_explicit(&t->flags, memory_order_relaxed) &
                   WIRE_THREAD_IDLE
               ? TPROF_CORE_IDLE
               : TPROF_CORE_RUNNING;
}

/* Returns the value of (does) for a core that runs thread (id). (t) is the
 * thread's record, or NULL. */
TPROF_HOT enum tprof_core_time
tprof_sums_does(uint64_t id, const struct tprof_thread_record *t)
{
    if (!t && id != 0)
        return TPROF_CORE_OTHER;
    return tprof_sums_kind(t);
}

/* Stores the kind of the core's time from (core->last) on. */
TPROF_HOT void tprof_sums_do(struct tprof_core_sums *core,
                             enum tprof_core_time does)
{
    atomic_store_explicit(&core->does, does, memory_order_relaxed);
}

/* Returns by how much the number of ready threads changes: -1, 0 or 1. (change)
 * is a change of the thread with record (t). (is): the thread is ready after
 * the change. Idle threads never count. */
TPROF_HOT int tprof_sums_readies(const struct tprof_thread_record *t,
                                 const struct tprof_change *change, bool is)
{
    bool was = change->ended == TPROF_THREAD_READY && change->was_known;

    if (change->ended == 0 || tprof_sums_kind(t) == TPROF_CORE_IDLE)
        return 0;
    return (int)is - (int)was;
}

/* Adds (more), which is -1, 0 or 1, to the number of threads that are ready
 * from (now) on. */
void tprof_sums_change_ready(int64_t more, uint64_t now);
TPROF_HOT void tprof_sums_count_ready(int more, uint64_t now)
{
    if (more != 0)
        tprof_sums_change_ready(more, now);
}

/* Adds the time from (core->last) to (now) to the core's sum for thread (id),
 * which the core ran. (t) is the thread's record, or NULL. Returns the time. */
TPROF_HOT uint64_t tprof_sums_ran(struct tprof_core_sums *core, uint64_t id,
                                  const struct tprof_thread_record *t,
                                  uint64_t now)
{
    uint64_t last = atomic_load_explicit(&core->last, memory_order_relaxed);
    uint64_t ticks = now > last ? now - last : 0; /* else: the clock is back */

    if (!t && id != 0)
        tprof_sums_add(&core->other_running, ticks);
    tprof_sums_add(&core->ticks[tprof_sums_kind(t)], ticks);
    atomic_store_explicit(&core->last, last + ticks, memory_order_relaxed);
    return ticks;
}

/* Returns the time up to (now) in which a thread was ready. Only the difference
 * of two such times has a meaning. */
uint64_t tprof_sums_ready_ticks(uint64_t now);

/* Returns the serial of thread (id); 0 if it has no record. */
uint32_t tprof_sums_serial(uint64_t id);

/* Returns the time up to which the sums are complete. */
uint64_t tprof_sums_now(void);

/* Adds a part, whose entries are clear. Called by one core at a time. */
void tprof_sums_add_part(struct tprof_sums_part *part);

/* Implement (order_sums) and (speak_sums) of struct tprof_agent. */
void tprof_sums_order(enum tprof_sums_order what);
void tprof_sums_speak(struct tprof_frame *f);

#endif
