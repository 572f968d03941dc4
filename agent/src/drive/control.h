/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control protocol with one host: HELLO, the host's orders, and the answers
 * (WIRE.md 3, 6 to 8). This file handles bytes and frames, and no device. The
 * pump owns the state and calls these functions under the pump's lock.
 */
#ifndef TPROF_CONTROL_H
#define TPROF_CONTROL_H

#include <stdint.h>

#include "encode/encode.h"
#include "state/agent.h"

#define TPROF_RX_SIZE      128u /* longer than any frame of the host */
#define TPROF_CONTROL_TAGS 8u   /* greater than any tag in the host's frames */

/* Frames that have to be sent, in this order: a bit for each type */
#define TPROF_OWE_HELLO (1u << WIRE_HELLO)
#define TPROF_OWE_STATS                                                        \
    (1u << WIRE_STATS) /* while (stats_next) < (stats_end) */
#define TPROF_OWE_STATUS   (1u << WIRE_STATUS)
#define TPROF_OWE_PONG     (1u << WIRE_PONG)
#define TPROF_OWE_MAP      (1u << WIRE_MAP) /* sent fewer changes than (maps) */
/* sent fewer counters than the kernel has */
#define TPROF_OWE_PROGRESS (1u << WIRE_PROGRESS)
/* while (tprof_agent.owes_sums) is set; the frame's type may be WAIT or SCHED
 * instead */
#define TPROF_OWE_THREADS  (1u << WIRE_THREAD)

/* Progress from a STOP to the last STATS */
enum tprof_last_stats {
    TPROF_LAST_STATS_UNHEARD,  /* a core may not know of the STOP yet */
    TPROF_LAST_STATS_DRAINING, /* all cores know; a ring may have records */
    TPROF_LAST_STATS_SENDING,  /* the STATS that are owed are the last ones */
};

struct tprof_control {
    uint32_t rx_used;   /* bytes in (rx) */
    uint32_t rx_errors; /* bytes skipped to find the next sound frame */
    uint16_t seq;       /* of the next frame */
    uint32_t owed;      /* TPROF_OWE_* */
    uint32_t maps;      /* changes of tprof_agent.maps that were sent */
    /* The cores whose STATS have to be sent: from (stats_next) to (stats_end) -
     * 1 */
    uint32_t stats_next, stats_end;
    uint64_t stats_due;     /* clock: when to send STATS next */
    uint32_t counters_told; /* counters that need no PROGRESS now */
    uint32_t flushes;       /* calls of tprof_flush() that were handled */
    uint64_t cookie;        /* of the PING that has to be answered */
    enum tprof_last_stats last_stats;

    /* The last order that was received, if it was not followed yet: WIRE_START,
     * WIRE_STOP, WIRE_RESET or WIRE_GREET; 0: none. (start) has the fields of a
     * START, by tag. */
    uint32_t wanted;
    uint64_t start[TPROF_CONTROL_TAGS];

    uint8_t rx[TPROF_RX_SIZE]; /* the beginning of a frame */
};

/* Makes every core take the orders over, with an empty dictionary, and wakes
 * every core for this. */
void tprof_control_give_orders(void);

/* Begins a session: a host has come, or has asked for HELLO (GREET). */
void tprof_control_open(struct tprof_control *c, uint64_t now);

/* Ends a session. Without a host no core samples, except with config.always or
 * during boot. */
void tprof_control_alone(struct tprof_control *c);

/* Reads (size) bytes, which the caller has put at c->rx + c->rx_used. Stores
 * the orders that these bytes contain. Does not follow the orders yet. */
void tprof_control_hear(struct tprof_control *c, uint32_t size);

/*
 * Follows the last order that was received. Each order costs every core an
 * interrupt and an empty dictionary, so at most ten orders a second are
 * followed. A STOP is followed at once while cores sample.
 */
void tprof_control_follow(struct tprof_control *c, uint64_t now);

/* Returns the type of the next frame that is due, other than SAMPLES; 0: no
 * frame is due. (drained): no ring has records left. */
uint32_t tprof_control_due(struct tprof_control *c, uint64_t now, int drained);

/* Are frames with sums due: PROGRESS, THREAD, WAIT or SCHED? */
bool tprof_control_owes_sums(struct tprof_control *c);

/* Puts the fields of a frame of (type) into (f). (type) is the last result of
 * tprof_control_due(). Afterwards (type) is not due any more. The caller does
 * not send a frame without fields. */
void tprof_control_speak(struct tprof_control *c, struct tprof_frame *f,
                         uint32_t type);

#endif
