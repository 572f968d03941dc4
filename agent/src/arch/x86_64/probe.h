/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests whether there is memory at an address. The page tables may be out of
 * reach, so the CPU tries an access. A page fault of this access never reaches
 * the kernel: for these few instructions the calling core uses a copy of the
 * kernel's exception gates, in which page faults and protection faults lead to
 * probe.S. Other exceptions and NMIs reach the kernel's handlers, and so do
 * faults inside these handlers.
 */
#ifndef TPROF_PROBE_H
#define TPROF_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* The operand of LIDT and SIDT */
struct tprof_idt {
    uint16_t limit; /* bytes - 1 */
    uint64_t base;
} __attribute__((packed));

/* Copies the gates of the IDT that the calling core has loaded. Called by
 * tprof_arch_begin() on each core before tprof_probe_faults(); never on two
 * cores at a time. */
void tprof_probe_begin(void);

/*
 * Would a read fault somewhere in the pages of the (size) bytes at (start), or
 * with (write) a write? With (write) the first word of each page is or'ed with
 * 0. Interrupts are off during the test.
 */
static inline bool tprof_probe_faults(uint64_t start, uint64_t size,
                                      uint32_t write)
{
    /* unlike a C function, this keeps all other registers */
    __asm__ volatile("call tprof_probe_pages"
                     : "+a"(start), "+c"(size)
                     : "d"(write)
                     : "memory");
    return start != 0;
}

/* probe.S: the handler of faults, and the tables that it loads */
void tprof_probe_fault(void);
extern struct tprof_idt tprof_probe_idt, tprof_kernel_idt;

#endif
