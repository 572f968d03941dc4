/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of waits: for each thread, the stacks at which it waited, and the
 * stacks that woke it. An entry keeps its own chain of callers, so a lost frame
 * costs no other entry.
 *
 * Three quarters of the table are for entries of one thread and one stack. The
 * rest is for stacks alone: waits of threads that have found no entry, as when
 * many threads come and go. Waits without any of these go to the first entry of
 * their kind. So the sums miss nothing.
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
struct tprof_wait {
    /* A hash of kind, serial and chain; 0: free. The core that has changed it
     * from 0 fills in the rest. */
    _Alignas(64) _Atomic uint64_t key;
    /* Release in fill(), thread_waits.c; acquire in read_wait(), sums.c. Guards
     * kind to (frame). */
    _Atomic uint32_t is_filled;
    uint32_t told; /* 1 + (count) when it was sent last; the pump's */
    uint16_t kind, end;
    uint32_t serial;
    uint32_t frames;
    _Atomic uint64_t count, ticks, longest;
    uint64_t frame[WIRE_WAIT_FRAMES_MAX];
};
_Static_assert(sizeof(struct tprof_wait) == 192,
               "what TPROF_THREADS_MEMORY() promises");

struct tprof_thread_waits {
    struct tprof_wait *entry;
    uint32_t size; /* entries */
    uint32_t depth;
    const struct tprof_bounds *bounds; /* of stacks */
};
extern struct tprof_thread_waits tprof_thread_waits;

/* Stores the callers: the code before (pc), whose frame pointer is (fp), and
 * its callers. (range) is the range of memory of the last stack, and becomes
 * that of this one. */
void tprof_thread_waits_walk(struct tprof_callers *c, uint64_t pc, uint64_t fp,
                             struct tprof_range *range);

/* Returns the entry for waits of the thread with (serial) at the stack (c), and
 * begins the entry if it is new. */
uint32_t tprof_thread_waits_find(enum wire_wait_kind kind, uint32_t serial,
                                 const struct tprof_callers *c);

/* Adds a wait of (ticks) to (entry). */
void tprof_thread_waits_add(uint32_t entry, uint64_t ticks);

/* Clears an entry. No core counts. */
void tprof_thread_waits_clear(uint32_t entry);

#endif
