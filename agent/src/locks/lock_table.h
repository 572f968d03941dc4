/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of locks, by the address of each lock.
 *
 * A record has the sums of one lock, and the holder: who has acquired the lock,
 * when, and at which stack. Only the holder changes the holder's part, while it
 * holds the lock. So that a kernel with wrong calls harms only the sums,
 * everything is atomic: relaxed, except where a comment says otherwise.
 *
 * Record 0 has the sums of all locks that have found no record.
 */
#ifndef TPROF_LOCK_TABLE_H
#define TPROF_LOCK_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "threads/thread_waits.h"
#include "tprof_wire.h"

/* Sums of waits or of holds. seq_cst, so that a reader that sees (longest) or
 * (least) also sees the time in (ticks). */
struct tprof_lock_times {
    _Atomic uint64_t count, ticks;
    /* parts of (ticks): the thread was ready, or blocked */
    _Atomic uint64_t ready, blocked;
    _Atomic uint64_t least; /* 1 + ticks; 0: none has ended */
    _Atomic uint64_t longest;
};

/* A span of a thread's time: a wait or a hold */
struct tprof_lock_span {
    uint64_t ticks, ready, blocked;
};

struct tprof_lock_holder {
    /* Odd while a core writes. Acquire and release: guards the rest. */
    _Atomic uint32_t version;
    _Atomic uint32_t serial; /* of the thread; 0: none */
    _Atomic uint64_t who;   /* tprof_lock_caller(); 0: the lock has no holder */
    _Atomic uint64_t since; /* clock */
    /* the sums of the thread at (since) */
    _Atomic uint64_t ready, blocked;
    /* struct tprof_callers of the acquire */
    _Atomic uint64_t name;
    _Atomic uint32_t end, count;
    _Atomic uint64_t frame[WIRE_WAIT_FRAMES_MAX];
};

struct tprof_lock_record {
    /* The lock's address << 1 | whether the lock has a name; 0: free. A record
     * without a name is free again when the sums are cleared. */
    _Alignas(64) _Atomic uint64_t word;
    _Atomic uint64_t acquires;
    struct tprof_lock_times waits, holds;
    _Atomic uint32_t waiting; /* threads that wait now */
    _Atomic uint32_t most_waiting;
    _Atomic uint64_t name[(WIRE_THREAD_NAME_MAX + 1) / 8]; /* text, then 0 */
    struct tprof_lock_holder holder;
    uint64_t
        told; /* tprof_lock_table_events() when the pump last sent the record */
};
_Static_assert(sizeof(struct tprof_lock_record) == 384,
               "what TPROF_LOCKS_MEMORY() promises");

struct tprof_lock_table {
    struct tprof_lock_record *record;
    uint32_t size; /* records */
};
extern struct tprof_lock_table tprof_lock_table;

/* Returns the number of the record of the lock at (address). Makes the record
 * if there is none and (make). 0: there is none, and no room. */
uint32_t tprof_lock_table_find(uint64_t address, bool make);

/* Returns the address of the lock with record (r). */
TPROF_HOT uint64_t tprof_lock_table_address(const struct tprof_lock_record *r)
{
    uint64_t word = atomic_load_explicit(&r->word, memory_order_relaxed);

    /* the highest two bits of an address are equal */
    return (uint64_t)((int64_t)word >> 1);
}

/* Returns a number that changes with each event of the lock. 0: none yet */
TPROF_HOT uint64_t tprof_lock_table_events(const struct tprof_lock_record *r)
{
    return atomic_load(&r->acquires) + atomic_load(&r->waits.count) +
           atomic_load(&r->holds.count) + atomic_load(&r->most_waiting) +
           atomic_load(&r->waiting);
}

/* Names the lock at (address). Returns TPROF_OK or TPROF_ERR_MEMORY_SMALL. */
int tprof_lock_table_name(uint64_t address, const char *name);

/* Adds (span) to (t). */
void tprof_lock_times_add(struct tprof_lock_times *t,
                          struct tprof_lock_span span);

/* Stores a new holder, who has acquired the lock at (since) with the sums
 * (ready) and (blocked) of its thread. Does nothing if another core does the
 * same. A core that was in this function for two seconds was reset there. */
void tprof_lock_holder_set(struct tprof_lock_holder *h, uint64_t who,
                           uint32_t serial, uint64_t since, uint64_t ready,
                           uint64_t blocked, const struct tprof_callers *c);

/* Returns the clock at which the holder has acquired the lock. 0: there is no
 * holder, or the holder changes. */
uint64_t tprof_lock_holder_since(const struct tprof_lock_holder *h);

/* Stores the stack of the holder in (c), and its serial in (serial). Returns
 * false if there is no holder, or if the holder changes. */
bool tprof_lock_holder_read(const struct tprof_lock_holder *h,
                            struct tprof_callers *c, uint32_t *serial);

/* Clears the sums of record (i), and frees the record if the lock has no name.
 * Must be called while no core counts. */
void tprof_lock_table_clear(uint32_t i);

#endif
