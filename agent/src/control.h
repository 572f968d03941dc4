/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The talk with one host: HELLO, its orders, and the answers (WIRE.md 3, 6 to
 * 8).
 * It knows bytes and frames, no device; the pump owns it, under its lock.
 */
#ifndef TPROF_SESSION_H
#define TPROF_SESSION_H

#include <stdint.h>

#include "agent.h"
#include "encode.h"

#define TPROF_RX_SIZE 128u /* the host's frames are short */

/* What has to be sent, in this order: a bit for each frame type. */
#define TPROF_OWE_HELLO  (1u << WIRE_HELLO)
#define TPROF_OWE_STATS  (1u << WIRE_STATS) /* while any core's are owed */
#define TPROF_OWE_STATUS (1u << WIRE_STATUS)
#define TPROF_OWE_PONG   (1u << WIRE_PONG)
#define TPROF_OWE_MAP    (1u << WIRE_MAP) /* while any are */

/* On the way to the last STATS. */
enum tprof_finals {
    TPROF_FINALS_NONE, /* some core has not heard yet that sampling is over */
    TPROF_FINALS_WAIT, /* all have; their rings are not empty yet */
    TPROF_FINALS_OWED, /* the STATS that are owed are the last ones */
};

struct tprof_session {
    uint32_t rx_used;
    uint32_t rx_errors;  /* bytes that began no good frame */
    uint16_t seq;        /* of the next frame */
    uint32_t owed;       /* TPROF_OWE_* */
    uint32_t maps;       /* told, of tprof_agent.maps */
    uint64_t owed_stats; /* cores */
    uint64_t stats_due;  /* TSC */
    uint64_t cookie;     /* of the PING to be answered */
    enum tprof_finals finals;
    uint8_t rx[TPROF_RX_SIZE]; /* heard, and not yet a whole frame */
};

/* A host has come: from the beginning. */
void tprof_session_open(struct tprof_session *s, uint64_t now);

/* It has gone: nothing samples any more. */
void tprof_session_close(void);

/* Takes the bytes that the caller has put at s->rx + s->rx_used, (size). */
void tprof_session_hear(struct tprof_session *s, uint32_t size);

/* Returns the type of the next frame that is due, other than SAMPLES; 0: none
 * is. (drained): no ring has anything left. */
uint32_t tprof_session_due(struct tprof_session *s, uint64_t now, int drained);

/* Puts that frame's fields into (f): (type) is as tprof_session_due() has just
 * said, and it is due no more. */
void tprof_session_speak(struct tprof_session *s, struct tprof_frame *f,
                         uint32_t type);

#endif
