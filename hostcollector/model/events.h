/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of decode: one callback for each kind, in stream order. Leaf. */
#ifndef TPROF_MODEL_EVENTS_H
#define TPROF_MODEL_EVENTS_H

#include <stdint.h>

#include "model/account.h"
#include "model/guest.h"
#include "model/sample.h"
#include "model/stack.h"
#include "util/err.h"

/* Why a HELLO came. */
enum hello_kind {
    HELLO_FIRST,   /* of this stream */
    HELLO_REPEAT,  /* again within a session (one-way channels) */
    HELLO_SESSION, /* a new session of the same boot */
    HELLO_REBOOT,  /* another boot id: clocks and counters began anew */
};

/*
 * decode_feed() and decode_end() call these. What a pointer leads to is valid
 * during the call only. A callback may be NULL only where its comment says so.
 */
struct events {
    /* The context of stack, samples, loss, account, stats and progress. NULL:
     * these six get the same context as the other callbacks. */
    void *sums;

    /* A guest introduces itself; no other event comes before the first.
     * Returns 0; -1 with (e) filled ends decoding with that error. */
    int (*hello)(void *context, enum hello_kind kind, const struct guest *g,
                 struct err *e);
    /* A stack was defined. Returns the number that samples shall carry for
     * it; STACK_OTHERS if it cannot be kept. */
    uint32_t (*stack)(void *context, uint32_t core, const struct stack *s);
    void (*samples)(void *context, const struct sample_batch *batch);
    void (*loss)(void *context, const struct loss *loss);
    /* The account of (core) changed. Called at the end of each frame of it. */
    void (*account)(void *context, uint32_t core, const struct account *a);
    void (*stats)(void *context, const struct core_stats *stats);
    /* May be NULL. */
    void (*progress)(void *context, const struct guest_progress *progress);
    void (*status)(void *context, const struct guest_status *status);
    void (*pong)(void *context, const struct guest_pong *pong);
    /* The guest has mapped a further image, or unmapped it. The guest tells
     * each one again in each session. Returns as (hello) does. May be NULL. */
    int (*map)(void *context, const struct guest_map *map, struct err *e);
    /* (frames) frames were lost, so the dictionaries of stacks are unknown. The
     * receiver should send RESET. */
    void (*gap)(void *context, uint32_t frames);
};

#endif
