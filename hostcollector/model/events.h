/* SPDX-License-Identifier: BSD-2-Clause */
/* What decode tells: one callback per kind of event, in stream order. Leaf. */
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

/* All are called from within decode_feed() and decode_end(); what pointers
 * lead to is valid during the call only. None may be NULL but where said. */
struct events {
    /* What those that add up are given as context: stack, samples, loss,
     * account and stats. NULL: the same as the others. */
    void *sums;

    /* A guest introduces itself; no other event comes before the first.
     * Returns 0; -1 with (e) filled ends decoding with that error. */
    int (*hello)(void *context, enum hello_kind kind, const struct guest *g,
                 struct err *e);
    /* A stack was defined. Returns the number that samples shall carry for
     * it; STACK_UNKNOWN if it cannot be kept. */
    uint32_t (*stack)(void *context, uint32_t core, const struct stack *s);
    void (*samples)(void *context, const struct sample_batch *batch);
    void (*loss)(void *context, const struct loss *loss);
    /* (core)'s account changed: at the end of each of its frames. */
    void (*account)(void *context, uint32_t core, const struct account *a);
    void (*stats)(void *context, const struct core_stats *stats);
    void (*status)(void *context, const struct guest_status *status);
    void (*pong)(void *context, const struct guest_pong *pong);
    /* A further image lies in the guest's memory; told again in each session.
     * Returns as (hello) does. May be NULL. */
    int (*map)(void *context, const struct guest_map *map, struct err *e);
    /* (frames) frames were lost: dictionaries are unknown, send RESET. */
    void (*gap)(void *context, uint32_t frames);
};

#endif
