/* SPDX-License-Identifier: BSD-2-Clause */
/* The two interrupts of the agent in a GICv2 or GICv3: the timer's (PPI) and
 * the one by which cores wake each other (SGI). The agent writes no bit of any
 * other interrupt. */
#ifndef TPROF_GIC_H
#define TPROF_GIC_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

struct tprof_gic {
    uint32_t version; /* 2, 3; 0: none is known */
    uint32_t sgi;
    uint64_t distributor_at, cpu_at; /* physical addresses */
    uintptr_t distributor, cpu;      /* virtual addresses */
};
extern struct tprof_gic tprof_gic;

/* Finds the registers. Returns TPROF_OK, TPROF_ERR_APIC or
 * TPROF_ERR_APIC_UNMAPPED. */
int tprof_gic_init(void);

/* Lets (intid) and the SGI interrupt this core, which is (core). Returns
 * TPROF_OK; TPROF_ERR_APIC: the GIC has no redistributor of this core. */
int tprof_gic_enable(struct tprof_arch_core *core, uint32_t intid);

/* Lets (intid) and the SGI interrupt this core no more. */
void tprof_gic_disable(uint32_t intid);

/* Sends the SGI to the core with (hardware_id) and, with version 2, (target).
 */
void tprof_gic_send(uint32_t hardware_id, uint32_t target);

#endif
