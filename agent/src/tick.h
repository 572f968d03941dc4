/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens in a core's tick: follow the orders, sample, re-arm, drain. */
#ifndef TPROF_TICK_H
#define TPROF_TICK_H

#include "agent.h"
#include "compiler.h"

/* What the CPU pushes on an interrupt. */
struct tprof_trap {
    uint64_t rip, cs, rflags, rsp, ss;
};

/* Our vector's interrupt; isr.S calls it on (cpu)'s stack. */
TPROF_ASM_ABI void tprof_interrupt(struct tprof_cpu *cpu,
                                   const struct tprof_trap *trap, uint64_t rbp);

/* tprof_tick() on (cpu)'s stack: a fixed tick, or one of a timer that knows our
 * deadlines. */
TPROF_ASM_ABI void tprof_kernel_tick(struct tprof_cpu *cpu,
                                     const struct tprof_regs *regs);

/* The calling core, by config.cpu_source; NULL: not joined. */
struct tprof_cpu *tprof_this_cpu(void);

/* isr.S: the kernel's cpu_index hook. */
TPROF_ASM_ABI uint32_t tprof_ask_cpu_index(void);

/* isr.S: calls (function) on (cpu)'s stack; interrupts are off. */
typedef TPROF_ASM_ABI void tprof_stack_function(struct tprof_cpu *cpu,
                                                const struct tprof_regs *regs);
TPROF_ASM_ABI void tprof_on_stack(struct tprof_cpu *cpu,
                                  const struct tprof_regs *regs,
                                  tprof_stack_function *function);

/* The entries: where one core is all there is, and for each tprof_cpu_source */
void tprof_isr_single(void);
void tprof_isr_gs(void);
void tprof_isr_tsc_aux(void);
void tprof_isr_apic(void);
void tprof_isr_hook(void);

#endif
