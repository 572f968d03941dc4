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

#define SESSION_NEVER UINT64_MAX
#define SESSION_TOLD  8u /* lines that one guest may give reason for at once */

enum session_state {
    SESSION_ABSENT,    /* waiting for the source to open */
    SESSION_SILENT,    /* open; waiting for HELLO */
    SESSION_MEASURING, /* PINGs are on their way: the guest's clock is unknown
                        */
    SESSION_SAMPLING,  /* START was sent, or the guest does not listen */
    SESSION_DRAINING,  /* STOP was sent; waiting for the last STATS */
    SESSION_OVER,
};

/* A clock reading of the guest, and of ours at the same moment. */
struct session_clock {
    uint64_t tsc;
    uint64_t ns;
};

struct session {
    /* The user's, set before the first call; the rest is 0. */
    struct source *source;
    uint32_t rate_hz, depth; /* to ask for; 0: the guest's choice */
    uint64_t wait_ns; /* for a guest that left, to come back; 0: not at all */
    void *context;
    void (*note)(void *context, const char *line); /* as in pipeline.h */

    /* To be read. */
    enum session_state state;
    uint64_t sampling_ns; /* when sampling began; 0: not yet */
    bool stayed_away; /* the guest left, and (wait_ns) passed: why it is over */

    /* The session's own. */
    uint64_t entered_ns; /* when (state) began */
    uint64_t retry_ns;   /* when to open, PING or START again */
    bool met;            /* a guest said HELLO once */
    bool heard;          /* bytes came since the source opened */
    uint64_t heard_ns;   /* when they last came, or we asked why none do */
    uint64_t left_ns;    /* when the guest left that is waited for; 0: none */
    /* What the user was told, by hash: each once, until a HELLO comes a while
     * later. */
    uint64_t told[SESSION_TOLD];
    size_t told_count;
    uint64_t told_ns;  /* when it was forgotten */
    bool one_way;      /* nothing can be sent */
    uint64_t guest_hz; /* of its clock, as it says; 0: it does not know */
    uint64_t measured_hz;
    uint32_t guest_rate_hz;
    unsigned pings_left;
    bool has_first_pong;
    struct session_clock first_pong;
    uint16_t seq;
    uint8_t
        out[4 * COMMAND_MAX]; /* commands that the source did not take yet */
    size_t out_size;
};

/* What HELLO says that matters here. */
struct session_hello {
    uint64_t tsc_hz;  /* 0: unknown */
    uint32_t rate_hz; /* what START without a rate gives */
    bool one_way;
    bool rebooted;
};

/* Bytes came, of whatever kind. */
void session_heard(struct session *s);

/* What the guest said. A HELLO that opens a session: */
void session_hello(struct session *s, const struct session_hello *h);
/* STATUS: enum wire_state, enum wire_refusal. */
void session_status(struct session *s, uint8_t state, uint8_t refusal);
/* PONG that arrived at (arrival_ns), 0 if not known. Returns the clock's rate
 * as measured so far; 0: not known yet. This works in a replay, too: the
 * cookie is our clock at sending. */
uint64_t session_pong(struct session *s, uint64_t cookie, uint64_t tsc,
                      uint64_t arrival_ns);
/* Frames were lost. */
void session_gap(struct session *s);

/* The source has ended, so that half a frame stays one. Over, or else to be
 * opened again by session_tick(). */
void session_cut(struct session *s);

/* End it in order: STOP, and a second for the answer; more at rates so low that
 * the guest hears STOP later. */
void session_stop(struct session *s);
/* End it now. */
void session_end(struct session *s);

/* Do what is due at (now_ns). Returns 0; -1 with (e) filled. */
int session_tick(struct session *s, uint64_t now_ns, struct err *e);

/* When session_tick() will have something to do; SESSION_NEVER: nothing. */
uint64_t session_due(const struct session *s);

/* Write what waits to be sent, as far as the guest takes it. Returns 0; -1
 * with (e) filled. */
int session_flush(struct session *s, struct err *e);

#endif
