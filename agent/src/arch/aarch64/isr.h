/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's own assembly, and how a core finds its number */
#ifndef TPROF_ISR_H
#define TPROF_ISR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch_types.h"

struct tprof_cpu;

/* isr.S: calls tprof_interrupt() with these arguments on the stack of (cpu). */
void tprof_isr_on_stack(struct tprof_cpu *cpu,
                        const struct tprof_arch_trap *trap, uint64_t fp);

extern uint32_t tprof_tpidr_offset;
/* tprof_init() has succeeded, with TPROF_CPU_GS. */
extern bool tprof_is_tpidr_numbered;

/* mem.S. The compiler calls these functions by itself, for example to copy a
 * struct. The kernel's functions of these names may use vector registers, which
 * no interrupt has saved. These are hidden, so the kernel does not use them. */
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

#endif
