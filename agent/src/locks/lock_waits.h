/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits for locks: the waits that go on now, and the sums of the waits that
 * have ended, for each lock, thread and stack.
 *
 * An entry of kind WIRE_LOCK_WAITED has the waits that began at a stack. An
 * entry of kind WIRE_LOCK_HELD has the holds that began with an acquire at a
 * stack, and at whose end threads waited for the lock. Entries are found as in
 * thread_waits.h.
 */
#ifndef TPROF_LOCK_WAITS_H
#define TPROF_LOCK_WAITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "locks/lock_table.h"
#include "threads/thread_waits.h"

/* A wait that goes on. Only the thread that waits reads the other members. */
struct tprof_lock_open {
    /* A hash of the lock and the thread; 0: free; 1: a core fills it in */
    _Alignas(64) _Atomic uint64_t key;
    _Atomic uint64_t since;          /* clock */
    _Atomic uint64_t ready, blocked; /* sums of the thread at (since) */
    _Atomic uint32_t lock;           /* number of the lock's record */
    _Atomic uint32_t waited;         /* the entry */
};
_Static_assert(sizeof(struct tprof_lock_open) +
                       sizeof(struct tprof_lock_times) +
                       sizeof(struct tprof_wait_entry) <=
                   320,
               "what TPROF_LOCKS_MEMORY() promises");

struct tprof_lock_waits {
    struct tprof_wait_table table;  /* the stacks of the entries */
    struct tprof_lock_times *times; /* by entry */
    struct tprof_lock_open *open;   /* as many as there are entries */
    /* Waits that found no room among the open ones. Their time is unknown. */
    _Atomic uint64_t untimed;
};
extern struct tprof_lock_waits tprof_lock_waits;

/* A wait, as it begins and as it is found again */
struct tprof_lock_wait {
    uint64_t since, ready, blocked;
    uint32_t lock, waited;
};

/* Keeps the wait (w) of (who) for the lock at (address). If there is no room,
 * takes the room of the wait that began first among some. */
void tprof_lock_waits_open(uint64_t address, uint64_t who,
                           const struct tprof_lock_wait *w);

/* Finds the latest wait of (who) for the lock at (address), which ends. Returns
 * false if there is none. */
bool tprof_lock_waits_close(uint64_t address, uint64_t who,
                            struct tprof_lock_wait *w);

/* Clears entry (i) and open wait (i). Must be called while no core counts. */
void tprof_lock_waits_clear(uint32_t i);

#endif
