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
 * Hears the host, and moves at most one frame. While there is no host it looks
 * for one, but no more than four times a second unless (at_once). Interrupts
 * are off. Any core; returns 1 at once when another one is at it, else 0.
 */
int tprof_pump(int at_once);

/* tprof_agent.pump_due when there is no channel, or somebody else will say that
 * a host has come. */
#define TPROF_PUMP_NEVER UINT64_MAX

/* Has everything been sent that was ready? 0 also when another core is at it.
 * Interrupts are off. */
int tprof_pump_done(void);

#endif
