/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control protocol with one host: HELLO, the host's orders, and the answers
 * (WIRE.md 3, 6 to 8). This station knows bytes and frames, no device. The pump
 * owns it, and calls it under the pump's lock.
 */
#ifndef TPROF_CONTROL_H
#define TPROF_CONTROL_H

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

/* On the way to the last STATS, after STOP. */
enum tprof_last_stats {
    TPROF_LAST_STATS_UNHEARD,  /* some core has not heard yet of the STOP */
    TPROF_LAST_STATS_DRAINING, /* all have; their rings are not empty yet */
    TPROF_LAST_STATS_SENDING,  /* the STATS that are owed are the last ones */
};

struct tprof_control {
    uint32_t rx_used;
    uint32_t rx_errors;  /* bytes that began no good frame */
    uint16_t seq;        /* of the next frame */
    uint32_t owed;       /* TPROF_OWE_* */
    uint32_t maps;       /* told, of tprof_agent.maps */
    uint64_t owed_stats; /* cores */
    uint64_t stats_due;  /* when, by the clock */
    uint64_t cookie;     /* of the PING to be answered */
    enum tprof_last_stats last_stats;
    uint8_t rx[TPROF_RX_SIZE]; /* heard, and not yet a whole frame */
};

/* A host has come: from the beginning. */
void tprof_control_open(struct tprof_control *c, uint64_t now);

/* It has gone: nothing samples any more. */
void tprof_control_close(void);

/* Takes the bytes that the caller has put at c->rx + c->rx_used, (size). */
void tprof_control_hear(struct tprof_control *c, uint32_t size);

/* Returns the type of the next frame that is due, other than SAMPLES; 0: none
 * is. (drained): no ring has anything left. */
uint32_t tprof_control_due(struct tprof_control *c, uint64_t now, int drained);

/* Puts that frame's fields into (f): (type) is as tprof_control_due() has just
 * said, and it is due no more. */
void tprof_control_speak(struct tprof_control *c, struct tprof_frame *f,
                         uint32_t type);

#endif
