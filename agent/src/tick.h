/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's tick: follows the orders, samples, arms the timer, calls the pump.
 */
#ifndef TPROF_TICK_H
#define TPROF_TICK_H

#include "agent.h"

/* The agent's own interrupt took (trap) from this core, which is (cpu), with
 * (fp) in the frame pointer. arch/ calls this on the core's stack. */
TPROF_ARCH_CALL void tprof_interrupt(struct tprof_cpu *cpu,
                                     const struct tprof_arch_trap *trap,
                                     uint64_t fp);

/* The agent's own interrupt came on this core, which is (cpu), while the core's
 * stack was in use. arch/ calls this on the interrupted stack. */
TPROF_ARCH_CALL void tprof_interrupt_inside(struct tprof_cpu *cpu);

/*
 * The deadlines of this core, which is (cpu), until (until) had no tick, for a
 * reason that lies in the time before: (end), WIRE_END_LENT or _REST. If there
 * were any, they become one sample, which says so, and that this core was at
 * (at) in the end.
 */
void tprof_tick_unseen(struct tprof_cpu *cpu, const struct tprof_registers *at,
                       uint64_t until, enum wire_end end);

/* Pumps on the stack of this core, which is (cpu), as tprof_pump() does, and
 * counts what came meanwhile. Interrupts are off afterwards. */
bool tprof_tick_pump(struct tprof_cpu *cpu, int at_once);

/* A tick of the kernel's own timer interrupted code with registers (r), on this
 * core, which is (cpu). The kernel's ticks come at a fixed rate, or at the
 * agent's deadlines, too (tprof_deadline()). tprof_tick() calls this on the
 * core's stack. */
TPROF_ARCH_CALL void tprof_kernel_tick(struct tprof_cpu *cpu,
                                       const struct tprof_registers *r);

#endif
