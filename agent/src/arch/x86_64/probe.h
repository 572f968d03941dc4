/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is there memory at an address? Asked of the CPU itself, since the page tables
 * need not be within reach. A page fault that the question causes never gets to
 * the kernel: for its few instructions the calling core has a copy of the
 * kernel's exception gates, in which faults at them lead here. All else, as an
 * NMI or what happens in its handler, gets to the kernel's handlers.
 */
#ifndef TPROF_PROBE_H
#define TPROF_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* What LIDT and SIDT take. */
struct tprof_idt {
    uint16_t limit; /* bytes - 1 */
    uint64_t base;
} __attribute__((packed));

/* Copies the gates of the IDT that the calling core has loaded: before the
 * others here, on each core, and never on two cores at a time. Called by
 * tprof_arch_begin(). */
void tprof_probe_begin(void);

/*
 * Would reading, or with (write) writing, fault somewhere in the pages of
 * (size) bytes at (start)? Each page's first word there is or'ed with 0.
 * Interrupts are off meanwhile.
 */
static inline bool tprof_probe_faults(uint64_t start, uint64_t size,
                                      uint32_t write)
{
    /* it keeps all other registers, which no C function does */
    __asm__ volatile("call tprof_probe_pages"
                     : "+a"(start), "+c"(size)
                     : "d"(write)
                     : "memory");
    return start != 0;
}

/* probe.S: what gates lead to, and what it loads. */
void tprof_probe_fault(void);
extern struct tprof_idt tprof_probe_idt, tprof_kernel_idt;

#endif
