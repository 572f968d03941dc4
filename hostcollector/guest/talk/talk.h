/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conversation with the guest behind a source. The conversation waits for a
 * guest, also for the return of a guest that left. If the guest does not know
 * the rate of its clock, the conversation measures the rate. It sends START,
 * RESET after a gap, and STOP.
 *
 * The conversation is a state machine without a clock or a loop of its own: the
 * caller passes the guest's messages and the time.
 */
#ifndef TPROF_GUEST_TALK_TALK_H
#define TPROF_GUEST_TALK_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/source/source.h"
#include "model/guest.h"
#include "tprof_wire.h"
#include "util/err.h"

/* talk_command.c: frames to the guest: WIRE.md 7. */

#define COMMAND_MAX 64u /* bytes of any command's frame */

/* One command. A field of 0 leaves the choice to the guest. */
struct command {
    uint8_t type;            /* WIRE_START to WIRE_GREET */
    uint32_t rate_hz, depth; /* of WIRE_START */
    uint64_t period_tsc;     /* of WIRE_START */
    uint64_t cookie;         /* of WIRE_PING */
};

/* Write the frame of (c), with sequence number (seq), to (out). Returns the
 * size of the frame. */
size_t command_encode(const struct command *c, uint16_t seq,
                      uint8_t out[COMMAND_MAX]);

#define TALK_NEVER UINT64_MAX
#define TALK_TOLD  8u /* lines to the user until the guest sends HELLO again */

enum talk_state {
    TALK_ABSENT,    /* waiting for the source to open */
    TALK_SILENT,    /* open; waiting for HELLO */
    TALK_MEASURING, /* the clock's rate is unknown; PINGs are on their way */
    TALK_SAMPLING,  /* START was sent, or the guest does not listen */
    TALK_DRAINING,  /* STOP was sent; waiting for the last STATS */
    TALK_OVER,
};

/* The guest's clock and the host's, read at the same moment. */
struct talk_clock {
    uint64_t tsc;
    uint64_t ns;
};

struct talk {
    /* Set by the caller before the first call; all other members are 0. */
    struct source *source;
    /* rate and depth to ask for; 0: the guest's choice */
    uint32_t rate_hz, depth;
    uint64_t wait_ns; /* wait this long for the return of a guest that left; 0:
                       * do not wait */
    /* wait this long for its first HELLO; 0: for ever */
    uint64_t first_wait_ns;
    bool started;   /* tprof has started the guest, with the right port */
    bool backs_off; /* try an absent guest less and less often */
    /* the last conversation failed: the first bytes may continue it */
    bool failed;
    void *context;
    void (*note)(void *context, const char *line); /* as in guest/pipeline.h */

    /* Members that the caller may read. */
    enum talk_state state;
    uint64_t sampling_ns; /* when sampling began; 0: not yet */
    /* the conversation is over, because no guest came or returned in time */
    bool stayed_away;

    /* Members of the conversation alone. */
    uint64_t entered_ns; /* when (state) began */
    uint64_t retry_ns;   /* when to open, PING or START again */
    uint64_t begun_ns;   /* time of the first talk_tick(); 0: not yet */
    bool reached;        /* the source was open once */
    bool met;            /* a guest sent HELLO once */
    bool ended_silent;   /* the source has closed without a HELLO, for the last
                          * time */
    bool greeted;        /* HELLO was requested since the source opened */
    bool heard;          /* bytes came since the source opened */
    /* when bytes last came, or when a note said that no bytes come */
    uint64_t heard_ns;
    uint64_t left_ns; /* when the guest left; 0: it is there */
    /* Hashes of the lines shown to the user, so that no line is shown twice. If
     * a HELLO comes after a while, the list is emptied. */
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

/* The members of HELLO that the conversation needs. */
struct talk_greeting {
    uint64_t tsc_hz;  /* 0: unknown */
    uint32_t rate_hz; /* rate that START without a rate gives */
    bool one_way;
    bool outside;
    bool rebooted;
};

/* Note that bytes came, of any kind. */
void talk_heard(struct talk *s);

/* Handle a HELLO that opens a session. */
void talk_hello(struct talk *s, const struct talk_greeting *h);
/* Handle STATUS. Notify the user if the guest's rate or depth is not the
 * requested one. */
void talk_status(struct talk *s, const struct guest_status *status);
/* Handle PONG, which arrived at (arrival_ns), 0 if unknown. Returns the rate of
 * the guest's clock as measured so far; 0: unknown. This also works in a
 * replay, because the cookie is the time at which PING was sent. */
uint64_t talk_pong(struct talk *s, uint64_t cookie, uint64_t tsc,
                   uint64_t arrival_ns);
/* Handle a loss of frames. */
void talk_gap(struct talk *s);

/* Handle the end of the source, which may have cut a frame. Either the
 * conversation is over, or talk_tick() opens the source again. */
void talk_cut(struct talk *s);

/* Ask for (rate_hz) and (depth) from now on; 0: the guest's choice. */
void talk_ask(struct talk *s, uint32_t rate_hz, uint32_t depth);

/* Open the source again at once, for a new session, after source_drop(). */
void talk_anew(struct talk *s);

/* End in order: send STOP and wait for the answer. The wait is one and a half
 * seconds, which is enough even if a core is gone. The wait is longer at low
 * rates, because the guest reads STOP at its next tick. It is longest for a
 * guest that is sampled from outside, because STOP is read between two stops of
 * the guest. */
void talk_stop(struct talk *s);
/* End at once. */
void talk_end(struct talk *s);

/* Do the work that is due at (now_ns). Returns 0; -1 with (e) filled. */
int talk_tick(struct talk *s, uint64_t now_ns, struct err *e);

/* The time at which talk_tick() has something to do; TALK_NEVER: none. */
uint64_t talk_due(const struct talk *s);

/* Write the reason why no guest sent HELLO as one line into (why). Call it
 * when the conversation is over, while the source is there. */
void talk_excuse(const struct talk *s, struct err *why);

/* Send the waiting commands, as many as the source takes. Returns 0; -1 with
 * (e) filled. */
int talk_flush(struct talk *s, struct err *e);

#endif
