/* SPDX-License-Identifier: BSD-2-Clause */
/* The I/O APIC: which core a device's wire interrupts. */
#ifndef TPROF_IOAPIC_H
#define TPROF_IOAPIC_H

#include <stdbool.h>
#include <stdint.h>

/* Are the registers of the I/O APIC with (pin) mapped? Not in an interrupt. */
bool tprof_ioapic_has(uint32_t pin);

/*
 * Have each rising edge of (pin), counted through the I/O APICs of a PC,
 * raise (vector), which is ours alone, on the core with (apic_id), below 255;
 * again to aim it at another core. An edge meanwhile may be lost. Touches
 * nothing but this pin; with interrupts off. Its registers are used at their
 * physical address.
 *
 * Returns TPROF_OK; TPROF_ERR_DEVICE: no such pin, or somebody else uses it.
 */
int tprof_ioapic_aim(uint32_t pin, uint32_t vector, uint32_t apic_id);

#endif
