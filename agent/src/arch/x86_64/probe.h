/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is there memory at an address? The CPU tries it, since the page tables need
 * not be within reach. A page fault that this causes never gets to the kernel:
 * for those few instructions the calling core uses a copy of the kernel's
 * exception gates, in which page faults and protection faults lead to probe.S.
 * Other exceptions and NMIs get to the kernel's handlers, and so do faults
 * inside these handlers.
 */
#ifndef TPROF_PROBE_H
#define TPROF_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* The operand of LIDT and SIDT. */
struct tprof_idt {
    uint16_t limit; /* bytes - 1 */
    uint64_t base;
} __attribute__((packed));

/* Copies the gates of the IDT that the calling core has loaded. To be called on
 * each core before tprof_probe_faults(), and never on two cores at a time.
 * tprof_arch_begin() does so. */
void tprof_probe_begin(void);

/*
 * Would reading, or with (write) writing, fault somewhere in the pages of the
 * (size) bytes at (start)? With (write) the first word in each page is or'ed
 * with 0. Interrupts are off meanwhile.
 */
static inline bool tprof_probe_faults(uint64_t start, uint64_t size,
                                      uint32_t write)
{
    /* it keeps all other registers, unlike a C function */
    __asm__ volatile("call tprof_probe_pages"
                     : "+a"(start), "+c"(size)
                     : "d"(write)
                     : "memory");
    return start != 0;
}

/* probe.S: the handler of faults, and the tables that it loads. */
void tprof_probe_fault(void);
extern struct tprof_idt tprof_probe_idt, tprof_kernel_idt;

#endif
