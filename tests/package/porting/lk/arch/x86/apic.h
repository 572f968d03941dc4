/* SPDX-License-Identifier: BSD-2-Clause */
/* LK, arch/x86/include/arch/x86/apic.h and what is static in lapic.c: what
 * agent/porting/lk.md uses of them, and what it adds. */
#ifndef LK_ARCH_X86_APIC_H
#define LK_ARCH_X86_APIC_H

#include <arch/x86.h>
#include <stdbool.h>

#define X86_MSR_IA32_TSC_DEADLINE 0x6e0
enum lapic_regs { LAPIC_TICR = 0x380, LAPIC_TCCR = 0x390 };

extern bool use_tsc_deadline;
uint32_t lapic_read(enum lapic_regs reg);
void lapic_write(enum lapic_regs reg, uint32_t value);
void write_msr(uint32_t msr, uint64_t value);

extern uint64_t lapic_tsc_hz;
void lapic_program(uint64_t tsc);

#endif
