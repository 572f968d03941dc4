/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine, to take something from it, and to see what has changed. */
#ifndef LACKING_H
#define LACKING_H

#include <stdbool.h>
#include <stdint.h>

#define LAPIC                    ((uintptr_t)0xfee00000)
#define LAPIC_SPURIOUS           0x0f0u
#define LAPIC_SPURIOUS_ENABLED   (1u << 8)
#define LAPIC_BASE_ENABLED       (1u << 11)
#define LAPIC_TIMER              0x320u
#define LAPIC_TIMER_MASKED       (1u << 16)
#define LAPIC_TIMER_PERIODIC     (1u << 17)
#define LAPIC_TIMER_PERIODIC_NMI (1u << 17 | 4u << 8)
#define LAPIC_INITIAL            0x380u

uint32_t lapic_reg_read(uint32_t reg);
void lapic_reg_write(uint32_t reg, uint32_t val);

/* What SIDT stores. */
struct idt {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

struct idt idt_get(void);
void idt_set(const struct idt *idt);

/* Gives (vector), or each from 32 to 239, a handler that nobody should call; or
 * none. */
void idt_take(uint8_t vector, bool taken);
void idt_take_all(bool taken);

/* All that the profiler might change. */
struct state {
    struct idt idt;
    uint8_t gates[256 * 16];
    uint32_t apic[6]; /* timer, divide, initial, spurious, LINT0, errors */
    uint64_t apic_base, tsc_aux, flags;
    uintptr_t device; /* on the command line; 0: none */
    uint32_t status;  /* of it */
};

/* What is not mapped is not to be looked at. */
extern bool state_has_apic, state_has_device;

struct state state_get(void);

/* Ends the machine where (want) has changed, and says what=. */
void state_check(const struct state *want, const char *what);

/* The kernel's page fault handler, for faults at fault_at() alone. */
void fault_init(void);

/* Reads (address). 1: it faulted, and that handler was told; 0: not. */
unsigned fault_at(uintptr_t address);

/* Where the memory of PCI function (function) is, is nothing any more; or all
 * of it again. */
void pci_unmap_bars(uint32_t function);
void pci_map_bars(void);

#endif
