/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * I/O APIC registers: Intel 82093AA. Two registers are in memory. The others
 * are read and written through these two.
 */
#ifndef TPROF_IOAPIC_REGS_H
#define TPROF_IOAPIC_REGS_H

#define IOAPIC_SELECT 0x00 /* rw  register that the window shows */
#define IOAPIC_WINDOW 0x10 /* rw */
#define IOAPIC_SIZE   0x14 /* of the two */

#define IOAPIC_VERSION      0x01u /* r   bits 16-23: its last pin */
#define IOAPIC_PIN(pin)     (0x10u + 2 * (pin)) /* rw  low half, then high */
#define IOAPIC_PENDING      (1u << 12)          /* r */
#define IOAPIC_REMOTE_IRR   (1u << 14)          /* r */
#define IOAPIC_MASKED       (1u << 16)
#define IOAPIC_TARGET_SHIFT 24 /* of the high half: the APIC id */

/* Address of the I/O APIC in a PC. QEMU's microvm with ACPI has a second one,
 * IOAPIC_STEP further. */
#define IOAPIC_ADDRESS 0xfec00000u
#define IOAPIC_STEP    0x10000u
#define IOAPIC_PINS    24u /* of the first one */

/* A message to a local APIC (Intel SDM volume 3, "Message Signalled
 * Interrupts"): fixed, edge, physical. The data is the vector. */
#define MSI_ADDRESS(apic_id) (0xfee00000u | (apic_id) << 12)

#endif
