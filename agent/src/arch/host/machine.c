/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock and the devices of a machine, which belong to no core */
#include "machine.h"

#include "arch/arch.h"

struct tprof_machine tprof_machine;

uint64_t tprof_machine_look_at_clock(void)
{
    return ++tprof_machine.now;
}

/* --- Devices -------------------------------------------------------------- */

uint32_t tprof_arch_pci_read(uint32_t function, uint32_t offset)
{
    return TPROF_MACHINE_HOOK(pci_read)
               ? tprof_machine.hooks->pci_read(function, offset)
               : UINT32_MAX;
}

void tprof_arch_pci_write(uint32_t function, uint32_t offset, uint32_t value)
{
    if (TPROF_MACHINE_HOOK(pci_write))
        tprof_machine.hooks->pci_write(function, offset, value);
}

bool tprof_arch_pin_exists(uint32_t pin)
{
    return TPROF_MACHINE_HOOK(pin_exists) &&
           tprof_machine.hooks->pin_exists(pin);
}

int tprof_arch_pin_aim(uint32_t pin, uint32_t vector, uint32_t hardware_id)
{
    return TPROF_MACHINE_HOOK(pin_aim)
               ? tprof_machine.hooks->pin_aim(pin, vector, hardware_id)
               : TPROF_ERR_DEVICE;
}

void tprof_arch_pin_mask(uint32_t pin)
{
    if (TPROF_MACHINE_HOOK(pin_mask))
        tprof_machine.hooks->pin_mask(pin);
}

bool tprof_arch_message(uint32_t vector, uint32_t hardware_id,
                        uint64_t *address, uint32_t *data)
{
    *address = 0xfee00000u | hardware_id << 12;
    *data = vector;
    return hardware_id < UINT8_MAX;
}
