/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conversation with the guest behind a source: waits for it, also when it
 * left and may come back, measures its clock if it does not know it, has it
 * START, go on after a gap, and STOP. A state machine without a clock or a loop
 * of its own: its user tells it what the guest said and what time it is.
 */
#ifndef TPROF_TALK_TALK_H
#define TPROF_TALK_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/source.h"
#include "talk/command.h"
#include "util/err.h"

#define TALK_NEVER UINT64_MAX
#define TALK_TOLD  8u /* lines that one guest may give reason for at once */

enum talk_state {
    TALK_ABSENT,    /* waiting for the source to open */
    TALK_SILENT,    /* open; waiting for HELLO */
    TALK_MEASURING, /* PINGs are on their way: the guest's clock is unknown
                     */
    TALK_SAMPLING,  /* START was sent, or the guest does not listen */
    TALK_DRAINING,  /* STOP was sent; waiting for the last STATS */
    TALK_OVER,
};

/* A clock reading of the guest, and of ours at the same moment. */
struct talk_clock {
    uint64_t tsc;
    uint64_t ns;
};

struct talk {
    /* The user's, set before the first call; the rest is 0. */
    struct source *source;
    uint32_t rate_hz, depth; /* to ask for; 0: the guest's choice */
    uint64_t wait_ns; /* for a guest that left, to come back; 0: not at all */
    void *context;
    void (*note)(void *context, const char *line); /* as in pipeline.h */

    /* To be read. */
    enum talk_state state;
    uint64_t sampling_ns; /* when sampling began; 0: not yet */
    bool stayed_away; /* the guest left, and (wait_ns) passed: why it is over */

    /* The conversation's own. */
    uint64_t entered_ns; /* when (state) began */
    uint64_t retry_ns;   /* when to open, PING or START again */
    bool met;            /* a guest said HELLO once */
    bool heard;          /* bytes came since the source opened */
    uint64_t heard_ns;   /* when they last came, or we asked why none do */
    uint64_t left_ns;    /* when the guest left that is waited for; 0: none */
    /* What the user was told, by hash: each once, until a HELLO comes a while
     * later. */
    uint64_t told[TALK_TOLD];
    size_t told_count;
    uint64_t told_ns;  /* when it was forgotten */
    bool one_way;      /* nothing can be sent */
    uint64_t guest_hz; /* of its clock, as it says; 0: it does not know */
    uint64_t measured_hz;
    uint32_t guest_rate_hz;
    unsigned pings_left;
    bool has_first_pong;
    struct talk_clock first_pong;
    uint16_t seq;
    uint8_t
        out[4 * COMMAND_MAX]; /* commands that the source did not take yet */
    size_t out_size;
};

/* What HELLO says that matters here. */
struct talk_hello {
    uint64_t tsc_hz;  /* 0: unknown */
    uint32_t rate_hz; /* what START without a rate gives */
    bool one_way;
    bool rebooted;
};

/* Bytes came, of whatever kind. */
void talk_heard(struct talk *s);

/* What the guest said. A HELLO that opens a session: */
void talk_hello(struct talk *s, const struct talk_hello *h);
/* STATUS: enum wire_state, enum wire_refusal. */
void talk_status(struct talk *s, uint8_t state, uint8_t refusal);
/* PONG that arrived at (arrival_ns), 0 if not known. Returns the clock's rate
 * as measured so far; 0: not known yet. This works in a replay, too: the
 * cookie is our clock at sending. */
uint64_t talk_pong(struct talk *s, uint64_t cookie, uint64_t tsc,
                   uint64_t arrival_ns);
/* Frames were lost. */
void talk_gap(struct talk *s);

/* The source has ended, so that half a frame stays one. Over, or else to be
 * opened again by talk_tick(). */
void talk_cut(struct talk *s);

/* End it in order: STOP, and a second for the answer; more at rates so low that
 * the guest hears STOP later. */
void talk_stop(struct talk *s);
/* End it now. */
void talk_end(struct talk *s);

/* Do what is due at (now_ns). Returns 0; -1 with (e) filled. */
int talk_tick(struct talk *s, uint64_t now_ns, struct err *e);

/* When talk_tick() will have something to do; TALK_NEVER: nothing. */
uint64_t talk_due(const struct talk *s);

/* Write what waits to be sent, as far as the guest takes it. Returns 0; -1
 * with (e) filled. */
int talk_flush(struct talk *s, struct err *e);

#endif
