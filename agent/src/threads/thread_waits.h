/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of waits: for each thread, the stacks at which the thread waited,
 * and the stacks of the code that woke the thread. An entry keeps its own chain
 * of callers, so a lost frame affects no other entry.
 *
 * An entry in the first three quarters of the table has the waits of one thread
 * at one stack. If many threads come and go, some threads find no free entry
 * there. An entry in the last quarter has the waits of such threads at one
 * stack. A wait that finds no entry there either is added to the first entry of
 * its kind, so that the sums are complete.
 */
#ifndef TPROF_THREAD_WAITS_H
#define TPROF_THREAD_WAITS_H

#include <stdatomic.h>
#include <stdint.h>

#include "sample/unwind.h"
#include "tprof_wire.h"

/* The chain of callers of the code that called the agent */
struct tprof_callers {
    uint64_t name; /* the hash of the chain */
    uint32_t end;  /* enum wire_end */
    uint32_t count;
    uint64_t frame[WIRE_WAIT_FRAMES_MAX]; /* return addresses, inner first */
};

/* An entry. Any core adds, relaxed: a reader may see a wait in (count) and not
 * yet in (ticks). */
struct tprof_wait_entry {
    /* A hash of kind, lock, serial and chain; 0: free. The core that changes
     * (key) from 0 fills in the entry. */
    _Alignas(64) _Atomic uint64_t key;
    /* Release in fill(), thread_waits.c; acquire in put_wait(),
     * thread_entries.c. Guards (kind), (end), (serial), (frames) and (frame).
     */
    _Atomic uint32_t is_filled;
    uint32_t told; /* 1 + (count) when the pump last sent the entry */
    uint16_t kind, end;
    uint32_t serial;
    uint32_t frames;
    uint32_t lock; /* number of its record (lock_table.h); of threads 0 */
    _Atomic uint64_t count, ticks, longest;
    uint64_t frame[WIRE_WAIT_FRAMES_MAX];
};
_Static_assert(sizeof(struct tprof_wait_entry) == 192,
               "what TPROF_THREADS_MEMORY() promises");

struct tprof_wait_table {
    struct tprof_wait_entry *entry;
    uint32_t size; /* entries */
};

struct tprof_thread_waits {
    struct tprof_wait_table table;
    uint32_t depth;
    const struct tprof_bounds *bounds; /* of stacks */
};
extern struct tprof_thread_waits tprof_thread_waits;

/* Stores in (c) the call before (pc), whose frame pointer is (fp), and the
 * callers. (range) has the range of memory of the previous stack, and receives
 * the range of this stack. */
void tprof_thread_waits_walk(struct tprof_callers *c, uint64_t pc, uint64_t fp,
                             struct tprof_range *range);

/* Returns the entry of (table) for waits of the thread with (serial) at the
 * stack (c), for (lock) if the table is that of locks. Makes the entry if there
 * is none. */
uint32_t tprof_thread_waits_find(const struct tprof_wait_table *table,
                                 uint32_t kind, uint32_t lock, uint32_t serial,
                                 const struct tprof_callers *c);

/*
 * Returns the entry for waits of the thread with (serial) at the call before
 * (pc), whose frame pointer is (fp). Walks the stack into (c), unless the stack
 * is that of the entry (last), where the thread waited before. (range): as for
 * tprof_thread_waits_walk().
 */
uint32_t tprof_thread_waits_at(uint32_t last, uint32_t kind, uint32_t serial,
                               uint64_t pc, uint64_t fp,
                               struct tprof_callers *c,
                               struct tprof_range *range);

/* Adds a wait of (ticks) to (entry). */
void tprof_thread_waits_add(uint32_t entry, uint64_t ticks);

/* Clears (entry) of (table). Must be called while no core counts. */
void tprof_thread_waits_clear(const struct tprof_wait_table *table,
                              uint32_t entry);

#endif
