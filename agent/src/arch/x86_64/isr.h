/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries of isr.S, and the variables that they read */
#ifndef TPROF_ISR_H
#define TPROF_ISR_H

#include <stdbool.h>
#include <stdint.h>

#include "arch_types.h"

/* TSC_AUX of core 0; the other cores have the next numbers. Not 0, because
 * TSC_AUX is 0 on a core that has not joined or has left, and that core must
 * not be taken for core 0. */
#define TPROF_TSC_AUX_FIRST 0x74707200u

/* Entries of the interrupt: one for a single core, and one for each
 * tprof_cpu_source. */
void tprof_isr_single(void);
void tprof_isr_gs(void);
void tprof_isr_tsc_aux(void);
void tprof_isr_apic(void);
void tprof_isr_hook(void);

/* Calls the kernel's cpu_index hook, for isr.S. */
TPROF_ARCH_CALL uint32_t tprof_ask_cpu_index(void);

extern uint32_t tprof_gs_offset;
/* tprof_init() has succeeded, with TPROF_CPU_GS. */
extern bool tprof_is_gs_numbered;

/* For TPROF_CPU_APIC: a hash table from APIC id to core index. The slot of an
 * id is its last 9 bits, or the next free slot. A slot of tprof_apic_ids is
 * UINT32_MAX while it is free, and most slots are free. The core's index is in
 * the same slot of tprof_apic_to_cpu. */
#define TPROF_APIC_PLACES 512u
extern uint32_t tprof_apic_ids[TPROF_APIC_PLACES];
extern uint8_t tprof_apic_to_cpu[TPROF_APIC_PLACES];
extern uintptr_t tprof_apic_registers; /* of the xAPIC; 0: x2APIC */

/* By core: the top of the stack on which isr.S calls the hook cpu_index. The
 * word at the top is 1 while that stack is in use. */
extern uint32_t *tprof_hook_stack[];

#endif
