/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of QEMU's virt that an aarch64 guest uses itself */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdint.h>

#define MACHINE_TREE 0x40000000u /* QEMU's device tree */

/* Prints (text). */
void machine_print(const char *text);
void machine_print_number(uint64_t value);

/* Switches the machine off. */
_Noreturn void machine_off(void);

/* Starts core (index) at boot_second. */
void machine_start_core(unsigned index);

/* The number after "(name)=" in QEMU's -append; (absent) if it is not there. */
uint64_t machine_option(const char *name, uint64_t absent);

/* The interrupt controller, version 2 or 3. machine_gic_core() prepares the
 * calling core (index); interrupts arrive as IRQ. */
void machine_gic(unsigned version);
void machine_gic_core(unsigned index);
uint32_t machine_gic_acknowledge(void);
void machine_gic_end(uint32_t intid);

#endif
