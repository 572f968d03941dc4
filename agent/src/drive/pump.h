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

#define TPROF_PUMP_MEMORY 8192u /* pages */

/* Prepares the pump. Its buffers are the TPROF_PUMP_MEMORY bytes at (memory), a
 * page boundary. */
void tprof_pump_init(void *memory);

/*
 * Reads the host's orders, writes a part of a frame, and sends the frame when
 * the last part is written. While there is no host, looks for one: at most four
 * times a second, or immediately with (at_once).
 *
 * (owner) is tprof_lock_owner() of the calling core. It is TPROF_OWNER_OTHER
 * for a core that has not joined, and for every caller if the channel is not
 * TPROF_CHANNEL_IRQ_SAFE. Interrupts must be off. A hook may have switched
 * interrupts on when this function returns.
 *
 * Returns 1 immediately if another core has the lock, otherwise 0.
 */
int tprof_pump(uint32_t owner, int at_once);

/* Is a frame unfinished, so that the pump should be called soon? */
bool tprof_pump_has_unfinished(void);

/* Repairs the pump after a reset of (cpu), the calling core. If the core was
 * reset inside the pump, the pump and the channel begin anew, as if the host
 * had gone, and the lock is released. Interrupts are off. */
void tprof_pump_mend(const struct tprof_cpu *cpu);

/*
 * Makes room in the ring of (cpu), the calling core, by giving up its oldest
 * records. Applies only if the newest records are wanted and no host drains the
 * ring.
 *
 * Each record names a stack, which an earlier record of the ring describes.
 * Therefore the core describes all stacks anew each time half of the ring was
 * written; (is_half) says that this is the case now.
 *
 * - config.always without a host: the whole ring may be overwritten from now
 * on. The ring is then for a dump only.
 * - TPROF_BOOT_NEWEST with (is_half): the older half is given up, and the
 * session begins at the end of the older half.
 *
 * Returns 1 if it gave records up. Returns 0 if the ring has to be drained or
 * kept, or another core has the lock. Interrupts are off.
 */
int tprof_pump_forgo(struct tprof_cpu *cpu, int is_half);

/* Makes cores sample until a host comes, for config.always and config.boot. */
void tprof_pump_begin(void);

/* The value of tprof_agent.pump_due while no tick has to look for a host: the
 * channel is dead, or an interrupt or tprof_poll() announces the host. */
#define TPROF_PUMP_NEVER UINT64_MAX

/* Was everything sent that was ready? Returns 0 also if another core has the
 * lock. Interrupts are as for tprof_pump(). */
int tprof_pump_done(uint32_t owner);

#endif
