/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks: as frames report them, and as a profile adds them up. Leaf. Text is
 * unchanged from the guest: escape it before showing it. Times are TSC ticks.
 */
#ifndef TPROF_MODEL_LOCKS_H
#define TPROF_MODEL_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof_wire.h"

#define LOCK_NAME (WIRE_LOCK_NAME_MAX + 1u)

/* Sums of waits or holds that have ended. */
struct lock_times {
    uint64_t count, time;
    uint64_t ready, blocked; /* parts of (time): the thread did not run */
    uint64_t least, longest;
};

/* LOCK, WIRE.md 12.1: a lock's sums from (since) to (now). */
struct guest_lock {
    uint64_t address;     /* 0: all locks that got no record in the guest */
    char name[LOCK_NAME]; /* cut to fit; "" if not sent */
    uint64_t since, now;
    uint64_t acquires;
    /* threads: at (now), and the most at any time */
    uint32_t waiting, most_waiting;
    bool is_held; /* at (now); it has been for the time (holding) */
    uint64_t holding;
    uint64_t untimed; /* waits for any lock whose time is not known */
    struct lock_times waits, holds;
};

/* LOCK_WAIT, WIRE.md 12.2: waits that began at one stack; or holds that began
 * at one stack, and at whose end threads waited. */
struct guest_lock_wait {
    uint64_t address; /* of the lock; 0: several */
    uint8_t kind;     /* enum wire_lock_wait_kind */
    uint64_t serial;  /* of the thread at the stack; 0: none, or several */
    uint32_t entry;   /* later frames of the same entry replace this one */
    struct lock_times waits; /* or holds */
    uint8_t end;             /* of the chain: enum wire_end */
    uint32_t depth;
    /* return addresses, innermost first */
    uint64_t frames[WIRE_WAIT_FRAMES_MAX];
};

/* A lock of a profile, summed over the time (wall) of its reports. */
struct profile_lock {
    uint64_t address;
    char name[LOCK_NAME];
    uint64_t wall, acquires, untimed;
    uint32_t waiting, most_waiting;
    bool is_held;
    uint64_t holding;
    struct lock_times waits, holds;
};

/* The waits for lock number (lock), an index, or the holds of the lock, that
 * began at one stack. */
struct profile_lock_wait {
    uint8_t kind;
    uint32_t lock;
    uint32_t thread; /* number of the thread at the stack; 0: none is known */
    uint32_t stack;  /* STACK_UNKNOWN: not known, or several */
    struct lock_times waits; /* or holds */
};

#endif
