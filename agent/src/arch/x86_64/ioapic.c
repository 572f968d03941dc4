/* SPDX-License-Identifier: BSD-2-Clause */
/* A device's interrupt, by a pin of an I/O APIC or by a message. */
#include "arch/arch.h"
#include "ioapic_regs.h"
#include "state/reach.h"

/* The greatest id that a pin or a message can name. 255 means all cores. */
#define APIC_ID_MAX 254u

static volatile uint32_t *ioapic_at(uintptr_t base, uint32_t reg)
{
    return (volatile uint32_t *)(base + reg);
}

static uint32_t ioapic_read(uintptr_t base, uint32_t reg)
{
    *ioapic_at(base, IOAPIC_SELECT) = reg;
    return *ioapic_at(base, IOAPIC_WINDOW);
}

static void ioapic_write(uintptr_t base, uint32_t reg, uint32_t val)
{
    *ioapic_at(base, IOAPIC_SELECT) = reg;
    *ioapic_at(base, IOAPIC_WINDOW) = val;
}

/* Fields of the low half of a pin's register. Edge, active high, fixed and
 * physical are 0. The other pins belong to the kernel. */
static int aim_pin(uintptr_t base, uint32_t pin, uint32_t vector,
                   uint32_t apic_id)
{
    uint32_t reg = IOAPIC_PIN(pin);

    /* without an I/O APIC, this reads 0 ... */
    if (pin > (ioapic_read(base, IOAPIC_VERSION) >> 16 & 0xff))
        return TPROF_ERR_DEVICE;
    uint32_t low =
        ioapic_read(base, reg) & ~(IOAPIC_PENDING | IOAPIC_REMOTE_IRR);
    /* neither masked nor the agent's? Then the kernel uses the pin. */
    if (!(low & IOAPIC_MASKED) && low != vector)
        return TPROF_ERR_DEVICE;
    ioapic_write(base, reg, IOAPIC_MASKED);
    ioapic_write(base, reg + 1, apic_id << IOAPIC_TARGET_SHIFT);
    ioapic_write(base, reg, vector);
    /* ... or all ones; in this case the write had no effect */
    return ioapic_read(base, reg + 1) >> IOAPIC_TARGET_SHIFT == apic_id
               ? TPROF_OK
               : TPROF_ERR_DEVICE;
}

/* Returns the registers of the I/O APIC that has the device's pin. */
static uintptr_t ioapic;

/* Returns the physical address of the I/O APIC that has (*pin), and changes
 * (*pin) to the number of the pin there. */
static uint64_t find_ioapic(uint32_t *pin)
{
    if (*pin < IOAPIC_PINS)
        return IOAPIC_ADDRESS;
    *pin -= IOAPIC_PINS;
    return IOAPIC_ADDRESS + IOAPIC_STEP;
}

bool tprof_arch_pin_exists(uint32_t pin)
{
    ioapic = tprof_reach(find_ioapic(&pin), IOAPIC_SIZE);
    return ioapic && !tprof_arch_faults(ioapic, IOAPIC_SIZE, 0);
}

int tprof_arch_pin_aim(uint32_t pin, uint32_t vector, uint32_t hardware_id)
{
    if (hardware_id > APIC_ID_MAX)
        return TPROF_ERR_DEVICE;
    find_ioapic(&pin);

    /* this may interrupt the kernel between its two accesses */
    uint32_t selected = *ioapic_at(ioapic, IOAPIC_SELECT);
    int error = aim_pin(ioapic, pin, vector, hardware_id);

    *ioapic_at(ioapic, IOAPIC_SELECT) = selected;
    return error;
}

void tprof_arch_pin_mask(uint32_t pin)
{
    find_ioapic(&pin);
    uint32_t selected = *ioapic_at(ioapic, IOAPIC_SELECT);

    ioapic_write(ioapic, IOAPIC_PIN(pin), IOAPIC_MASKED);
    *ioapic_at(ioapic, IOAPIC_SELECT) = selected;
}

bool tprof_arch_message(uint32_t vector, uint32_t hardware_id,
                        uint64_t *address, uint32_t *data)
{
    *address = MSI_ADDRESS(hardware_id);
    *data = vector;
    return hardware_id <= APIC_ID_MAX;
}
