/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of decode: one callback for each kind, in stream order. Leaf. */
#ifndef TPROF_MODEL_EVENTS_H
#define TPROF_MODEL_EVENTS_H

#include <stdint.h>

#include "model/account.h"
#include "model/guest.h"
#include "model/locks.h"
#include "model/requests.h"
#include "model/sample_batch.h"
#include "model/stack.h"
#include "model/threads.h"

struct err;

/* Reason for a HELLO. */
enum hello_kind {
    HELLO_FIRST,   /* the first of this stream */
    HELLO_REPEAT,  /* repeated in the same session (one-way channels) */
    HELLO_SESSION, /* a new session of the same boot */
    HELLO_REBOOT,  /* another boot id: clocks and counters start again */
};

/*
 * Callbacks of decode_feed() and decode_end(). Pointers are valid during the
 * call only. A callback may be NULL only where its comment says so.
 */
struct events {
    /* Context of the callbacks up to (slow), except hello. NULL: these
     * callbacks get the same context as the others. */
    void *sums;

    /* The guest sent HELLO. No other event comes before the first. Returns 0;
     * -1 with (e) filled ends decoding with that error. */
    int (*hello)(void *context, enum hello_kind kind, const struct guest *g,
                 struct err *e);
    /* A stack was defined. Returns the number that later samples have for the
     * stack, or STACK_OTHERS if the stack cannot be kept. */
    uint32_t (*stack)(void *context, uint32_t core, const struct stack *s);
    void (*samples)(void *context, const struct sample_batch *batch);
    void (*loss)(void *context, const struct loss *loss);
    /* The account of (core) changed. Called at the end of each frame of that
     * core. */
    void (*account)(void *context, uint32_t core, const struct account *a);
    void (*stats)(void *context, const struct core_stats *stats);
    /* May be NULL. */
    void (*progress)(void *context, const struct guest_progress *progress);
    /* The next two may be NULL together. Samples then have no thread.
     *
     * From now on the core runs the thread with (serial), or, if (serial) is 0,
     * the thread with (id). Returns the thread's number, or 0 if the thread
     * cannot be kept. */
    uint32_t (*runs)(void *context, uint64_t serial, uint64_t id);
    /* Returns the number that stands for stack number (stack) in samples of
     * thread number (thread), and of requests of kind (request) - 1. One of
     * both may be 0: none. */
    uint32_t (*stack_of)(void *context, uint32_t stack, uint32_t thread,
                         uint32_t request);
    /* Returns the number of requests for (stack_of): 1 + (kind), or more, for
     * samples from (tsc) on of the request (number) of (kind). May be NULL. */
    uint32_t (*request_of)(void *context, uint32_t kind, uint64_t number,
                           uint64_t tsc);
    /* The next eight may be NULL. */
    void (*thread)(void *context, const struct guest_thread *thread);
    void (*wait)(void *context, const struct guest_wait *wait);
    void (*sched)(void *context, const struct guest_sched *sched);
    void (*lock)(void *context, const struct guest_lock *lock);
    void (*lock_wait)(void *context, const struct guest_lock_wait *wait);
    void (*request)(void *context, const struct guest_request *request);
    void (*request_times)(void *context,
                          const struct guest_request_times *times);
    void (*slow)(void *context, const struct guest_slow *slow);
    /* The next two may be NULL. */
    void (*status)(void *context, const struct guest_status *status);
    void (*pong)(void *context, const struct guest_pong *pong);
    /* The guest has mapped or unmapped a further image. The guest sends all
     * mapped images again in each session. Returns as (hello) does. May be
     * NULL. */
    int (*map)(void *context, const struct guest_map *map, struct err *e);
    /* (frames) frames were lost, so the dictionaries of stacks are incomplete.
     * The receiver should send RESET. May be NULL. */
    void (*gap)(void *context, uint32_t frames);
};

#endif
