/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local APIC as far as starting and waking cores needs it (xAPIC, or
 * x2APIC where the firmware left it on).
 */
#include "cpu.h"
#include "guest.h"
#include "kit.h"

/* Offsets in the xAPIC's page; Intel SDM volume 3, 10.4.1. */
#define LAPIC_ID         0x020 /* r   id in bits 31:24 */
#define LAPIC_TPR        0x080 /* rw  lowest priority that gets through */
#define LAPIC_EOI        0x0b0 /* w */
#define LAPIC_SPURIOUS   0x0f0 /* rw */
#define LAPIC_ENABLE     (1u << 8)
#define LAPIC_ICR_LO     0x300 /* rw  writing it sends */
#define LAPIC_ICR_HI     0x310 /* rw  target in bits 31:24 */
#define LAPIC_LVT_LINT0  0x350 /* rw */
#define LAPIC_LVT_MASKED (1u << 16)

#define APIC_BASE_ENABLE (1u << 11)
#define APIC_BASE_X2APIC (1u << 10)
#define MSR_X2APIC       0x800u /* + offset / 16; the ICR is one of 64 bits */

#define PIC1_DATA 0x21
#define PIC2_DATA 0xa1

static uintptr_t base;
static bool x2apic;

static uint32_t lapic_read(uint32_t reg)
{
    if (x2apic)
        return (uint32_t)cpu_rdmsr(MSR_X2APIC + reg / 16);
    return *(volatile uint32_t *)(base + reg);
}

static void lapic_write(uint32_t reg, uint32_t val)
{
    if (x2apic)
        cpu_wrmsr(MSR_X2APIC + reg / 16, val);
    else
        *(volatile uint32_t *)(base + reg) = val;
}

void lapic_init(void)
{
    uint64_t msr = cpu_rdmsr(CPU_MSR_APIC_BASE) | APIC_BASE_ENABLE;

    cpu_wrmsr(CPU_MSR_APIC_BASE, msr);
    x2apic = msr & APIC_BASE_X2APIC;
    base = GUEST_DIRECT_MAP + (msr & 0xfffff000u);
    /* harmless where there is no 8259, as on a microvm */
    cpu_out8(PIC1_DATA, 0xff);
    cpu_out8(PIC2_DATA, 0xff);
    lapic_write(LAPIC_LVT_LINT0, LAPIC_LVT_MASKED);
    lapic_write(LAPIC_TPR, 0);
    lapic_write(LAPIC_SPURIOUS, LAPIC_ENABLE | 0xff);
}

uint32_t lapic_id(void)
{
    uint32_t id = lapic_read(LAPIC_ID);

    return x2apic ? id : id >> 24;
}

void lapic_command(uint32_t apic_id, uint32_t command)
{
    if (x2apic) {
        cpu_wrmsr(MSR_X2APIC + LAPIC_ICR_LO / 16,
                  (uint64_t)apic_id << 32 | command);
        return;
    }
    /* the two halves are one command: no handler's may come in between */
    uint64_t flags = cpu_irq_save();

    lapic_write(LAPIC_ICR_HI, apic_id << 24);
    lapic_write(LAPIC_ICR_LO, command);
    cpu_irq_restore(flags);
}

void lapic_send(unsigned index, uint8_t vector)
{
    lapic_command(core_apic_id(index), vector);
}

void lapic_eoi(void)
{
    lapic_write(LAPIC_EOI, 0);
}
