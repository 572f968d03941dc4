/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that a kernel on aarch64 makes besides those of tprof.h. The kernel
 * runs at EL1 and has a GICv2 or a GICv3.
 *
 * tprof_set_aarch64() comes before tprof_init(): it says where the interrupt
 * controller is. From then on the kernel's handler of interrupts gives each
 * interrupt to tprof_irq() first:
 *
 *     if (!tprof_irq(intid, &frame))
 *         handle_device(intid);
 *
 * In tprof_config these fields mean other things than on x86-64:
 *   tsc_hz         the rate of CNTVCT_EL0; 0: CNTFRQ_EL0
 *   lapic, vector  0; struct tprof_aarch64 has fields for the GIC
 *   cpu_source     TPROF_CPU_APIC: MPIDR_EL1, always right. TPROF_CPU_GS: the
 *                  u32 at TPIDR_EL1 + gs_cpu_offset. TPROF_CPU_TSC_AUX: the
 *                  same as TPROF_CPU_APIC
 *   timer          TPROF_TIMER_APIC: the CPU's timer of struct tprof_aarch64
 *   lending, install_vector, route_irq
 *                  NULL
 * In struct tprof_regs, (rip) is the pc, (rsp) the stack pointer, (rbp) x29.
 * Where tprof.h speaks of an APIC id, the id is that of MPIDR_EL1: Aff3, Aff2,
 * Aff1, Aff0, a byte each.
 */
#ifndef TPROF_AARCH64_H
#define TPROF_AARCH64_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) /* the rest of the library is hidden */

/* The timers of the CPU. The agent takes the one that the kernel does not use.
 */
enum tprof_aarch64_timer {
    TPROF_AARCH64_VIRTUAL = 0,  /* CNTV, by custom INTID 27 */
    TPROF_AARCH64_PHYSICAL = 1, /* CNTP, by custom INTID 30 */
};

/* The machine. Addresses are physical: config.map makes them virtual ones. */
struct tprof_aarch64 {
    /* The device tree that the firmware has handed over. It gives the fields
     * below that are 0. NULL: there is none. */
    const void *device_tree;
    uint32_t gic_version;     /* 2 or 3; 0: as the device tree says */
    uint64_t gic_distributor; /* 0: as the device tree says */
    /* version 2: the CPU interface; version 3: the first redistributor; 0: as
     * the device tree says */
    uint64_t gic_cpu;
    uint32_t timer; /* enum tprof_aarch64_timer */
    uint32_t intid; /* of the timer, 16 to 31; 0: by custom */
    /* the software interrupt (SGI) by which cores wake each other, 1 to 15; 0:
     * 7. The kernel does not use it. */
    uint32_t sgi;
};

/* Gives the agent (machine), which is copied. Before tprof_init(). Without this
 * call, tprof_init() returns TPROF_ERR_APIC. */
void tprof_set_aarch64(const struct tprof_aarch64 *machine);

/* The interrupted code, as the kernel's exception entry has saved it */
struct tprof_interrupted {
    uint64_t pc; /* ELR_EL1 */
    uint64_t sp; /* stack pointer before the exception */
    uint64_t fp; /* x29 */
    uint64_t lr; /* x30 */
};

/*
 * Handles interrupt (intid), which the kernel has acknowledged, if it is the
 * agent's. (frame) is the interrupted code. Interrupts are off, and 512 bytes
 * of stack are free. The kernel ends the interrupt afterwards, as each other
 * one.
 *
 * Returns 1: it was the agent's;
 * 0: it was not, or tprof_init() has not succeeded.
 */
int tprof_irq(uint32_t intid, const struct tprof_interrupted *frame);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
