/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pump carries records from the rings through the encoder into the channel,
 * and the host's orders back. A core that gets the pump's lock is the only
 * reader of all rings until it lets go. A core that does not get the lock goes
 * on with its work.
 */
#ifndef TPROF_PUMP_H
#define TPROF_PUMP_H

#include <stdint.h>

#include "agent.h"

/* Frames that may be on their way, and their size, which bounds the longest
 * interrupt. */
#define TPROF_PUMP_BUFFERS     4u
#define TPROF_PUMP_BUFFER_SIZE 1536u
#define TPROF_PUMP_MEMORY      8192u /* pages */

/* Makes the pump ready. Its buffers are in (memory), TPROF_PUMP_MEMORY bytes
 * from a page boundary on. */
void tprof_pump_init(void *memory);

/*
 * Hears the host, and sends at most one new frame. While there is no host,
 * looks for one: at most four times a second, or at once if (at_once). (owner):
 * tprof_lock_owner() of the calling core, with interrupts off; a hook may have
 * switched them on when this returns. TPROF_OWNER_OTHER: a core that has not
 * joined, or where the channel is not for interrupts, a thread. Returns 1 at
 * once when another core has the lock, else 0.
 */
int tprof_pump(uint32_t owner, int at_once);

/* (cpu), the calling core, was reset. If that was in the pump, what the core
 * did there is half done: channel and pump begin anew, as if the host had gone,
 * and the lock is free. Interrupts are off. */
void tprof_pump_mend(const struct tprof_cpu *cpu);

/*
 * Where the newest records are kept and nobody is there to drain the others:
 * lets the oldest of (cpu), the calling core, be overwritten. A record needs
 * the stack that it names in the ring. So, with (is_half), when half of the
 * ring was written, the core takes its orders over once more, and describes all
 * stacks anew.
 * config.always: if there is no host, the whole ring is free from now on; what
 * is in it is for a dump. TPROF_BOOT_NEWEST: with (is_half) the half before
 * that goes, and the session begins where that half ends.
 * Returns 1; 0: the ring is to be drained, or to be kept as it is, or another
 * core has the lock. Interrupts are off.
 */
int tprof_pump_forgo(struct tprof_cpu *cpu, int is_half);

/* config.always and config.boot: cores sample from now on, until a host comes.
 */
void tprof_pump_begin(void);

/* tprof_agent.pump_due while no tick needs to look for a host: the channel is
 * dead, or an interrupt or tprof_poll() will tell of a host. */
#define TPROF_PUMP_NEVER UINT64_MAX

/* Has everything been sent that was ready? 0 also when another core has the
 * lock. Interrupts are as for tprof_pump(). */
int tprof_pump_done(uint32_t owner);

#endif
