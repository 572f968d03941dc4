/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conversation with the guest behind a source. It waits for the guest, also
 * for one that left and may come back. If the guest does not know the rate of
 * its clock, the conversation measures the rate. It sends START, RESET after a
 * gap, and STOP. It is a state machine without a clock or a loop of its own:
 * the caller says what the guest sent and what time it is.
 */
#ifndef TPROF_GUEST_TALK_TALK_H
#define TPROF_GUEST_TALK_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/source/source.h"
#include "guest/talk/command.h"
#include "model/guest.h"
#include "util/err.h"

#define TALK_NEVER UINT64_MAX
#define TALK_TOLD  8u /* lines to the user until the guest is met anew */

enum talk_state {
    TALK_ABSENT,    /* waiting for the source to open */
    TALK_SILENT,    /* open; waiting for HELLO */
    TALK_MEASURING, /* the clock's rate is unknown; PINGs are on their way */
    TALK_SAMPLING,  /* START was sent, or the guest does not listen */
    TALK_DRAINING,  /* STOP was sent; waiting for the last STATS */
    TALK_OVER,
};

/* The guest's clock and ours, read at the same moment. */
struct talk_clock {
    uint64_t tsc;
    uint64_t ns;
};

struct talk {
    /* Set by the caller before the first call; all other members are 0. */
    struct source *source;
    uint32_t rate_hz, depth; /* to ask for; 0: the guest's choice */
    uint64_t wait_ns;       /* how long to wait for a guest that left; 0: not */
    uint64_t first_wait_ns; /* ... and for its first HELLO; 0: for ever */
    bool backs_off; /* a guest that is not there is tried less and less often */
    bool failed;    /* the one before did: what comes may be the rest of it */
    void *context;
    void (*note)(void *context, const char *line); /* as in guest/pipeline.h */

    /* The caller may read these. */
    enum talk_state state;
    uint64_t sampling_ns; /* when sampling began; 0: not yet */
    bool stayed_away;     /* over, since no guest came, or came back, in time */

    /* The conversation's own. */
    uint64_t entered_ns; /* when (state) began */
    uint64_t retry_ns;   /* when to open, PING or START again */
    uint64_t begun_ns;   /* the first talk_tick(); 0: not yet */
    bool reached;        /* the source was open once */
    bool met;            /* a guest said HELLO once */
    bool greeted;        /* it was asked for HELLO since the source opened */
    bool heard;          /* bytes came since the source opened */
    uint64_t heard_ns;   /* when bytes last came, or silence was remarked on */
    uint64_t left_ns;    /* when the guest left; 0: it is there */
    /* Hashes of the lines that the user was told, so that none is told twice. A
     * HELLO that comes a while later empties the list. */
    uint64_t told[TALK_TOLD];
    size_t told_count;
    uint64_t told_ns;  /* when the list was last emptied */
    bool one_way;      /* nothing can be sent */
    bool outside;      /* the guest is sampled from outside */
    uint64_t guest_hz; /* its clock's rate, by HELLO; 0: unknown */
    uint64_t measured_hz;
    uint32_t guest_rate_hz;
    unsigned pings_left;
    bool has_first_pong;
    struct talk_clock first_pong;
    uint16_t seq;
    uint8_t out[4 * COMMAND_MAX]; /* commands that wait to be sent */
    size_t out_size;
};

/* The part of HELLO that matters here. */
struct talk_greeting {
    uint64_t tsc_hz;  /* 0: unknown */
    uint32_t rate_hz; /* what START without a rate gives */
    bool one_way;
    bool outside;
    bool rebooted;
};

/* Bytes came, of whatever kind. */
void talk_heard(struct talk *s);

/* The guest sent a HELLO that opens a session. */
void talk_hello(struct talk *s, const struct talk_greeting *h);
/* The guest sent STATUS. Where it follows with another rate or depth than it
 * was asked for, the user is told. */
void talk_status(struct talk *s, const struct guest_status *status);
/* The guest sent PONG, which arrived at (arrival_ns), 0 if not known. Returns
 * the rate of the guest's clock as measured so far; 0: not known yet. This also
 * works in a replay, since the cookie is the time at which PING was sent. */
uint64_t talk_pong(struct talk *s, uint64_t cookie, uint64_t tsc,
                   uint64_t arrival_ns);
/* Frames were lost. */
void talk_gap(struct talk *s);

/* The source has ended; the rest of a frame that was cut will not come. The
 * conversation is over, or talk_tick() opens the source again. */
void talk_cut(struct talk *s);

/* Ask for (rate_hz) and (depth) from now on, 0: the guest's choice. */
void talk_ask(struct talk *s, uint32_t rate_hz, uint32_t depth);

/* Open the source again at once, for a session of its own. The connection was
 * dropped, by source_drop(). */
void talk_anew(struct talk *s);

/* End in order: send STOP and wait one and a half seconds for the answer, which
 * takes longest where a core is gone. At low rates, at which the guest reads
 * STOP later, wait longer; and wait longest for a guest that is sampled from
 * outside, since STOP is read between two stops of the guest. */
void talk_stop(struct talk *s);
/* End at once. */
void talk_end(struct talk *s);

/* Do what is due at (now_ns). Returns 0; -1 with (e) filled. */
int talk_tick(struct talk *s, uint64_t now_ns, struct err *e);

/* When talk_tick() will have something to do; TALK_NEVER: nothing. */
uint64_t talk_due(const struct talk *s);

/* Why no guest introduced itself, in one line in (why). Call it while the
 * source is there, when the conversation is over. */
void talk_excuse(const struct talk *s, struct err *why);

/* Send commands that wait, as many as the source takes. Returns 0; -1 with (e)
 * filled. */
int talk_flush(struct talk *s, struct err *e);

#endif
