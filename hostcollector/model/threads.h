/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads, the waits of threads, and the scheduling of cores: as frames report
 * them, and as a profile adds them up. Leaf. Text is unchanged from the guest:
 * escape it before showing it. Times are TSC ticks.
 */
#ifndef TPROF_MODEL_THREADS_H
#define TPROF_MODEL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof_wire.h"

#define THREAD_NAME   (WIRE_THREAD_NAME_MAX + 1u)
/* Classes of the time from ready to running: class i holds times of i bits. */
#define SCHED_CLASSES 64u

/* THREAD, WIRE.md 10.2: a thread's sums from (since) to (now). */
struct guest_thread {
    uint64_t serial;        /* unique in a boot; never 0 */
    uint64_t id;            /* the kernel's; ids may be used again */
    char name[THREAD_NAME]; /* cut to fit; "" if not sent */
    uint8_t flags;          /* WIRE_THREAD_IDLE, WIRE_THREAD_ENDED */
    uint8_t state; /* at (now): enum wire_thread_state; unknown after the end */
    uint64_t since, now;
    /* The three add up to now - since. All are 0 until the state is known. */
    uint64_t running, ready, blocked;
    uint64_t switches; /* times that a core began to run the thread */
    bool has_wait;     /* (wait) is known */
    uint32_t wait;     /* guest_wait.entry in which the thread is blocked */
};

/* WAIT, WIRE.md 10.3: waits of a thread at one stack, or waits that the code at
 * one stack ended. */
struct guest_wait {
    uint8_t kind;    /* enum wire_wait_kind */
    uint64_t serial; /* of the thread that waited; 0: several */
    uint32_t entry;  /* a later frame of the same entry replaces this frame */
    uint64_t count, time, longest;
    uint8_t end; /* of the chain: enum wire_end */
    uint32_t depth;
    /* return addresses, innermost first */
    uint64_t frames[WIRE_WAIT_FRAMES_MAX];
};

/* SCHED, WIRE.md 10.4: the sums of one core from (since) to (now). */
struct guest_sched {
    uint32_t core;
    uint64_t since, now;
    uint64_t switches;
    uint64_t running, idle, unnamed; /* sum: now - since */
    uint64_t moved; /* switches to threads that ran on another core before */
    bool has_ready_idle;           /* (ready_idle) is known */
    uint64_t ready_idle;           /* time idle while some thread was ready */
    uint64_t ready[SCHED_CLASSES]; /* times from ready to running, by class */
    /* Numbers of the whole guest, on core 0 only: ended threads whose records
     * other threads have now, and threads that got no record. */
    uint64_t evicted, refused;
};

/* A thread of a profile. Its number is its index plus 1. */
struct profile_thread {
    uint64_t serial, id;    /* (serial) 0: no record in the guest */
    char name[THREAD_NAME]; /* "": not known */
    bool shared;            /* other threads have the same name */
    bool idle;              /* its time is idle time */
    bool ended;
    uint8_t state; /* enum wire_thread_state, at the last report */
    /* Sums over the time (wall) of the thread's reports; 0: no report came. */
    uint64_t wall, running, ready, blocked, switches;
    uint64_t longest; /* of its waits, an open one included */
    double sampled;   /* time of its samples: struct tally */
    /* 1 + index of the wait in which the thread was blocked at the last report.
     * 0: the thread was not blocked, or the wait is not known. */
    uint32_t waits;
};

/* The waits of a thread at one stack, or the waits that one stack ended. */
struct profile_wait {
    uint8_t kind;    /* enum wire_wait_kind */
    uint32_t thread; /* number of the thread that waited; 0: several */
    uint32_t stack;  /* STACK_UNKNOWN: not known, or several */
    uint64_t count, time, longest;
    /* Least time for which the thread was blocked here at its last report. The
     * wait was not over, so it is not in (count), (time) and (longest). 0: no
     * such time is known. */
    uint64_t open;
};

/* Scheduling of one core, summed over the time (wall). */
struct profile_sched {
    uint64_t wall; /* 0: the core has not reported */
    uint64_t switches, running, idle, unnamed, moved;
    bool has_ready_idle; /* (ready_idle) is known */
    uint64_t ready_idle;
    uint64_t ready[SCHED_CLASSES];
    uint64_t evicted, refused; /* as in struct guest_sched */
};

#endif
