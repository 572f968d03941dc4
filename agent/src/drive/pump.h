/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pump carries records from the rings through the encoder into the channel,
 * and the host's orders back. The core that has the pump's lock is the only
 * reader of all rings. A core that does not get the lock continues with its
 * work.
 */
#ifndef TPROF_PUMP_H
#define TPROF_PUMP_H

#include <stdint.h>

#include "state/agent.h"

/* Frames that may be on their way at a time, and the size of each, which limits
 * the longest interrupt */
#define TPROF_PUMP_BUFFERS     4u
#define TPROF_PUMP_BUFFER_SIZE 1536u
#define TPROF_PUMP_MEMORY      8192u /* pages */

/* Prepares the pump. Its buffers are the TPROF_PUMP_MEMORY bytes at (memory), a
 * page boundary. */
void tprof_pump_init(void *memory);

/*
 * Reads the host's orders, and sends at most one new frame. While there is no
 * host, looks for one: at most four times a second, or immediately with
 * (at_once).
 *
 * (owner) is tprof_lock_owner() of the calling core, with interrupts off; a
 * hook may have switched them on when this returns. It is TPROF_OWNER_OTHER for
 * a core that has not joined, and for a thread if the channel is not for
 * interrupts.
 *
 * Returns 1 immediately if another core has the lock, otherwise 0.
 */
int tprof_pump(uint32_t owner, int at_once);

/* Repairs the pump after a reset of (cpu), the calling core. If the core was
 * reset inside the pump, its work there is half done: channel and pump begin
 * anew, as if the host had gone, and the lock is free. Interrupts are off. */
void tprof_pump_mend(const struct tprof_cpu *cpu);

/*
 * Lets the oldest records of (cpu), the calling core, be overwritten, if the
 * newest records are wanted and no host drains the ring. A record needs the
 * stack that it names in the ring. So with (is_half), when half of the ring was
 * written, the core takes its orders over once more, and describes all stacks
 * anew.
 *
 * - config.always without a host: the whole ring is free from now on. Its
 *   contents are for a dump.
 * - TPROF_BOOT_NEWEST with (is_half): the older half is given up, and the
 *   session begins at the end of that half.
 *
 * Returns 1. Returns 0 if the ring has to be drained or kept, or another core
 * has the lock. Interrupts are off.
 */
int tprof_pump_forgo(struct tprof_cpu *cpu, int is_half);

/* Makes cores sample until a host comes, for config.always and config.boot. */
void tprof_pump_begin(void);

/* The value of tprof_agent.pump_due while no tick has to look for a host: the
 * channel is dead, or an interrupt or tprof_poll() announces the host. */
#define TPROF_PUMP_NEVER UINT64_MAX

/* Is everything sent that was ready? Returns 0 also if another core has the
 * lock. Interrupts are as for tprof_pump(). */
int tprof_pump_done(uint32_t owner);

#endif
