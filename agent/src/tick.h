/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens in a core's tick: follow the orders, sample, re-arm, drain. */
#ifndef TPROF_TICK_H
#define TPROF_TICK_H

#include "agent.h"

/* The agent's own interrupt took (trap) from this core, which is (cpu), with
 * (fp) in the frame pointer. arch/ calls this on the core's stack. */
TPROF_ARCH_CALL void tprof_interrupt(struct tprof_cpu *cpu,
                                     const struct tprof_arch_trap *trap,
                                     uint64_t fp);

/* tprof_tick() on the core's stack: a tick of the kernel's that interrupted
 * (r), at a fixed rate, or of a timer that knows the agent's deadlines. */
TPROF_ARCH_CALL void tprof_kernel_tick(struct tprof_cpu *cpu,
                                       const struct tprof_registers *r);

#endif
