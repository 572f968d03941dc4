/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of code that has interrupts off. A kernel includes tprof.h, which
 * includes this. */
#ifndef TPROF_NMI_H
#define TPROF_NMI_H

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) /* the rest of the library is hidden */

/*
 * The value of config.nmi for samples by NMI, which also interrupts code that
 * has interrupts off. Each tick of a core sends an NMI to the next core that
 * samples, and the sample is of the code that the NMI interrupts. The last core
 * sends to the first. The time of samples still comes from the APIC's timer:
 * while a core has interrupts off, the next core's samples are fewer, and each
 * counts for more time. A core that is alone samples itself in its ticks.
 *
 * The agent writes gate 2 of each core's IDT, and keeps the stack (IST) that
 * the gate has. NMIs that the agent has not caused go to the kernel's handler.
 * If the gate has no stack of its own, each NMI needs 64 bytes of the
 * interrupted stack.
 *
 * Needs TPROF_TIMER_APIC, and any cpu_source but TPROF_CPU_HOOK: otherwise
 * tprof_init() returns TPROF_ERR_CONFIG. With TPROF_CPU_GS the number must be
 * there at every instruction. All memory in config.readable must be readable
 * without a fault. Each core needs 16 KiB more, which TPROF_MEMORY() includes.
 * Opaque; linked only into a kernel that names tprof_nmi.
 */
struct tprof_nmi;
extern const struct tprof_nmi tprof_nmi;

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
