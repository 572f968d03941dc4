/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pump: from the rings through the encoder into the channel, and the
 * host's orders back. Whoever gets its lock is the one reader of every core's
 * ring until it lets go; who does not get it goes on with his work.
 */
#ifndef TPROF_PUMP_H
#define TPROF_PUMP_H

#include <stdint.h>

/* Frames that may be on their way. Their size bounds the longest interrupt. */
#define TPROF_PUMP_BUFFERS     4u
#define TPROF_PUMP_BUFFER_SIZE 1536u
#define TPROF_PUMP_MEMORY      8192u /* pages */

/* Makes it ready, its buffers in (memory), TPROF_PUMP_MEMORY bytes from a page
 * boundary on. */
void tprof_pump_init(void *memory);

/*
 * Hears the host, and moves at most one frame. Interrupts are off. Any core;
 * returns at once when another one is at it.
 */
void tprof_pump(void);

/* How often to look at the device while nothing samples. */
enum tprof_mood {
    TPROF_MOOD_DEAD,     /* no channel: never again */
    TPROF_MOOD_DETACHED, /* nobody there: seldom */
    TPROF_MOOD_ATTACHED, /* the host may say START */
    TPROF_MOOD_DRAINING, /* it said STOP: rings are not empty yet */
};
enum tprof_mood tprof_pump_mood(void);

/* Has everything been sent that was ready? 0 also when another core is at it.
 * Interrupts are off. */
int tprof_pump_done(void);

/* Counted errors of device and host, for STATS. */
struct tprof_troubles {
    uint32_t device; /* the channel failed for good */
    uint32_t busy;   /* pumps that found every buffer still in use */
    uint32_t frames; /* from the host, damaged or unknown */
};
const struct tprof_troubles *tprof_pump_troubles(void);

#endif
