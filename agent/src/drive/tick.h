/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's tick: follows orders, samples, arms the timer, calls the pump. */
#ifndef TPROF_TICK_H
#define TPROF_TICK_H

#include "state/agent.h"

/* Handles the agent's own interrupt on this core, which is (cpu): (trap) and
 * the frame pointer (fp) are of the interrupted code. arch/ calls this on the
 * core's stack. */
TPROF_ARCH_CALL void tprof_interrupt(struct tprof_cpu *cpu,
                                     const struct tprof_arch_trap *trap,
                                     uint64_t fp);

/* Handles the agent's own interrupt if it comes on this core, which is (cpu),
 * while the core's stack is in use. arch/ calls this on the interrupted stack.
 */
TPROF_ARCH_CALL void tprof_interrupt_inside(struct tprof_cpu *cpu);

/*
 * Accounts for the deadlines of this core, which is (cpu), up to (until) that
 * had no tick. (end) is the reason: WIRE_END_LENT or _REST. If there were such
 * deadlines, they become one sample, with that reason, and with (at) as the
 * code at their end.
 */
void tprof_tick_unseen(struct tprof_cpu *cpu, const struct tprof_registers *at,
                       uint64_t until, enum wire_end end);

/* Pumps as tprof_pump() does, on the stack of this core, which is (cpu). Counts
 * ticks that came meanwhile. Interrupts are off afterwards. */
bool tprof_tick_pump(struct tprof_cpu *cpu, int at_once);

/* Handles a tick of the kernel's timer on this core, which is (cpu). (r) is the
 * interrupted code. The kernel's ticks come at a fixed rate, or also at the
 * agent's deadlines (tprof_deadline()). tprof_tick() calls this on the core's
 * stack. */
TPROF_ARCH_CALL void tprof_kernel_tick(struct tprof_cpu *cpu,
                                       const struct tprof_registers *r);

#endif
