/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of threads that have a name, by the kernel's id.
 *
 * Any core may change any record, also in an interrupt, so each change of a
 * thread's state is one exchange of its word. The word has the time of the
 * change. The code that has exchanged the word adds the time since the previous
 * change to the sum of the state that has ended. So the times of a thread add
 * up to the tick, whichever core changes the word first.
 */
#ifndef TPROF_THREAD_TABLE_H
#define TPROF_THREAD_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "tprof_wire.h"

/* States of a record. Those from RUNNING to UNKNOWN are enum wire_thread_state
 * + 1. */
enum tprof_thread_state {
    TPROF_THREAD_FREE = 0,
    TPROF_THREAD_RUNNING = 1,
    TPROF_THREAD_READY = 2,
    TPROF_THREAD_BLOCKED = 3,
    TPROF_THREAD_UNKNOWN = 4, /* no event since the sums began */
    TPROF_THREAD_ENDED = 5,   /* the record is kept until its room is needed */
    TPROF_THREAD_FILLING = 6, /* a core prepares the record for a thread */
};
#define TPROF_THREAD_STATE_BITS 3
#define TPROF_THREAD_TIMES      3u /* states that have a time */
/* Sets of states */
#define TPROF_THREAD_IN(state)  (1u << (state))
#define TPROF_THREAD_LIVES                                                     \
    (TPROF_THREAD_IN(TPROF_THREAD_RUNNING) |                                   \
     TPROF_THREAD_IN(TPROF_THREAD_READY) |                                     \
     TPROF_THREAD_IN(TPROF_THREAD_BLOCKED) |                                   \
     TPROF_THREAD_IN(TPROF_THREAD_UNKNOWN))

/* The work of a thread, or of a core that runs no thread: requests/ */
struct tprof_work {
    _Atomic uint32_t request; /* 1 + the open request of samples; 0: none */
    /* A tick may have told the host (request). */
    _Atomic uint32_t is_told;
    /* The longest wait since that request began: clock ticks
     * << TPROF_LONGEST_SHIFT | the entry of the wait */
    _Atomic uint64_t longest;
};
#define TPROF_LONGEST_SHIFT 16

/* A record. Relaxed accesses, except where a comment says otherwise: (word)
 * orders them. */
struct tprof_thread_record {
    /* clock << TPROF_THREAD_STATE_BITS | enum tprof_thread_state */
    _Alignas(64) _Atomic uint64_t word;
    _Atomic uint64_t id;
    /* Number of calls that may still add to (ticks). Unless it is 0, the record
     * is not given to another thread, and its sums are not read. */
    _Atomic uint32_t users;
    _Atomic uint32_t serial;                    /* WIRE.md 10.1 */
    _Atomic uint64_t ticks[TPROF_THREAD_TIMES]; /* RUNNING, READY, BLOCKED */
    _Atomic uint64_t switches;
    _Atomic uint64_t since; /* clock: when the thread was named */
    /* The entry for the thread's next wait, and the entry of the code that woke
     * the thread last */
    _Atomic uint16_t wait, waker;
    _Atomic uint16_t core;  /* 1 + the core that ran the thread last */
    _Atomic uint16_t flags; /* WIRE_THREAD_IDLE, or 0 */
    _Atomic uint64_t name[(WIRE_THREAD_NAME_MAX + 1) / 8]; /* text, then 0 */
    uint64_t told; /* (word) when the pump last sent the record */
    struct tprof_work work;
};
_Static_assert(sizeof(struct tprof_thread_record) == 128,
               "what TPROF_THREADS_MEMORY() promises");

struct tprof_thread_table {
    struct tprof_thread_record *record;
    uint32_t size;            /* records; 0: tprof_threads() was not called */
    _Atomic uint32_t serials; /* given so far */
    /* clock: the start of the sums. Written by the pump while no core counts.
     */
    uint64_t since;
    /* Sums of ended threads whose record now belongs to another thread, the
     * number of these threads, and the number of names that found no record */
    _Atomic uint64_t evicted_ticks[TPROF_THREAD_TIMES];
    _Atomic uint64_t evicted, refused;
};

extern struct tprof_thread_table tprof_thread_table;

/* The result of a change of state */
struct tprof_change {
    uint32_t ended; /* the state that has ended, RUNNING to BLOCKED; 0: none */
    bool was_known; /* the state was not UNKNOWN */
    uint32_t wait;  /* of a thread that was blocked: its entry */
    uint64_t ticks; /* time in the state that has ended */
};

/* Is (t) the record of a living thread with (id)? */
TPROF_HOT bool tprof_thread_table_has(const struct tprof_thread_record *t,
                                      uint64_t id)
{
    return atomic_load_explicit(&t->id, memory_order_relaxed) == id &&
           TPROF_THREAD_LIVES >>
                   (atomic_load(&t->word) % (1u << TPROF_THREAD_STATE_BITS)) &
               1;
}

/* Returns the record of the living thread with (id), or NULL. */
struct tprof_thread_record *tprof_thread_table_find(uint64_t id);

/*
 * Changes the state of thread (id), whose record is (t), to (to), if its state
 * is in the set (from). If the state is UNKNOWN, (guess) counts as the state
 * that ends.
 *
 * The time in the ended state is added only if the calling core (counts).
 * Nothing is changed if the state is not in (from), the thread has ended, or
 * other cores have changed the state eight times during this call.
 */
TPROF_HOT struct tprof_change
tprof_thread_table_change(struct tprof_thread_record *t, uint64_t id,
                          uint64_t now, bool counts, uint32_t from, uint32_t to,
                          uint32_t guess)
{
    struct tprof_change change = {0};
    uint64_t since = counts ? tprof_thread_table.since : UINT64_MAX;

    /* seq_cst: pairs with the load of (users) in free_record(), thread_table.c,
     * and read_record(), thread_entries.c */
    atomic_fetch_add(&t->users, 1);
    uint64_t word = atomic_load(&t->word);

    for (int tries = 0; tries < 8; tries++) {
        uint32_t state = word & ((1u << TPROF_THREAD_STATE_BITS) - 1);
        uint64_t then = word >> TPROF_THREAD_STATE_BITS;
        uint64_t time = now > then ? now : then; /* another core was faster */

        if (!(from >> state & 1) ||
            atomic_load_explicit(&t->id, memory_order_relaxed) != id)
            break;
        change.wait = atomic_load_explicit(&t->wait, memory_order_relaxed);
        if (!atomic_compare_exchange_strong(
                &t->word, &word, time << TPROF_THREAD_STATE_BITS | to))
            continue;
        if (then < since)
            then = since;
        change.was_known = state != TPROF_THREAD_UNKNOWN;
        change.ended = change.was_known ? state : guess;
        change.ticks = time > then ? time - then : 0;
        /* release: pairs with the fence in read_times(), request_calls.c */
        atomic_fetch_add_explicit(
            &t->ticks[change.ended - TPROF_THREAD_RUNNING], change.ticks,
            memory_order_release);
        break;
    }
    /* release: the sums are complete */
    atomic_fetch_sub_explicit(&t->users, 1, memory_order_release);
    return change;
}

/*
 * Gives a record to a new thread with (id), in state (state) since (now).
 * Prefers a free record to that of an ended thread. (flags): WIRE_THREAD_*.
 *
 * Returns TPROF_OK or TPROF_ERR_MEMORY_SMALL.
 */
int tprof_thread_table_add(uint64_t id, const char *name, uint32_t flags,
                           uint32_t state, uint64_t now);

/* Copies at most 31 bytes of (text), and ends them by 0. */
void tprof_thread_table_copy_name(
    _Atomic uint64_t name[(WIRE_THREAD_NAME_MAX + 1) / 8], const char *text);

/* Clears the sums and the state of record (i), or frees the record if its
 * thread has ended. Must be called while no core counts. */
void tprof_thread_table_clear(uint32_t i);

#endif
