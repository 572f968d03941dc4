/* SPDX-License-Identifier: BSD-2-Clause */
/* One pin of an I/O APIC, beside a kernel that has the others. */
#include "ioapic.h"

#include "ioapic_regs.h"
#include "probe.h"
#include "tprof/tprof.h"

static volatile uint32_t *at(uintptr_t base, uint32_t reg)
{
    return (volatile uint32_t *)(base + reg);
}

static uint32_t ioapic_read(uintptr_t base, uint32_t reg)
{
    *at(base, IOAPIC_SELECT) = reg;
    return *at(base, IOAPIC_WINDOW);
}

static void ioapic_write(uintptr_t base, uint32_t reg, uint32_t val)
{
    *at(base, IOAPIC_SELECT) = reg;
    *at(base, IOAPIC_WINDOW) = val;
}

/* Low half of a pin's register: edge, active high, fixed, physical are 0. */
static int aim(uintptr_t base, uint32_t pin, uint32_t vector, uint32_t apic_id)
{
    uint32_t reg = IOAPIC_PIN(pin);

    /* where there is none this is 0, ... */
    if (pin > (ioapic_read(base, IOAPIC_VERSION) >> 16 & 0xff))
        return TPROF_ERR_DEVICE;
    uint32_t low =
        ioapic_read(base, reg) & ~(IOAPIC_PENDING | IOAPIC_REMOTE_IRR);
    /* neither free nor ours already? Then it is the kernel's. */
    if (!(low & IOAPIC_MASKED) && low != vector)
        return TPROF_ERR_DEVICE;
    ioapic_write(base, reg, IOAPIC_MASKED);
    ioapic_write(base, reg + 1, apic_id << IOAPIC_TARGET_SHIFT);
    ioapic_write(base, reg, vector);
    /* ... or all is ones, and nothing was written */
    return ioapic_read(base, reg + 1) >> IOAPIC_TARGET_SHIFT == apic_id
               ? TPROF_OK
               : TPROF_ERR_DEVICE;
}

/* The I/O APIC with (*pin), which becomes that one's own count. */
static uintptr_t find(uint32_t *pin)
{
    if (*pin < IOAPIC_PINS)
        return IOAPIC_ADDRESS;
    *pin -= IOAPIC_PINS;
    return IOAPIC_ADDRESS + IOAPIC_STEP;
}

bool tprof_ioapic_has(uint32_t pin)
{
    return !tprof_faults(find(&pin), IOAPIC_WINDOW, 0);
}

int tprof_ioapic_aim(uint32_t pin, uint32_t vector, uint32_t apic_id)
{
    uintptr_t base = find(&pin);

    /* we may have interrupted the kernel between its two accesses */
    uint32_t selected = *at(base, IOAPIC_SELECT);
    int error = aim(base, pin, vector, apic_id);

    *at(base, IOAPIC_SELECT) = selected;
    return error;
}
