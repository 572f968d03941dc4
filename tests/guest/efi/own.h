/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine as one's own, after ExitBootServices: tables, interrupts, cores.
 * The firmware's page tables stay; nothing here overwrites them.
 */
#ifndef EFI_OWN_H
#define EFI_OWN_H

#include <stdint.h>

/*
 * Interrupts off, the 8259s masked, own GDT and IDT. An interrupt of the
 * firmware's that was under way is taken, and dropped: nobody routes one to
 * this core any more.
 */
void own_begin(void);

/*
 * Every other core runs (work), on a stack of its own, with these tables and
 * its local APIC on, then halts. (page) is a free page below 1 MiB. own_join()
 * returns when (cores) of them are through.
 */
void own_start(uintptr_t page, void (*work)(void));
void own_join(unsigned cores);

/* The end: QEMU's isa-debug-exit, as guest_exit() of tests/guest/common. */
_Noreturn void own_exit(int status);

/* COM1, before and after. */
void own_print(const char *text);
void own_print_hex(uint64_t value);

#endif
