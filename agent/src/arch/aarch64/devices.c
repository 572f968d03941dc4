/* SPDX-License-Identifier: BSD-2-Clause */
/* No PCI and no interrupts of devices yet: the agent looks by its timer. */
#include "arch/arch.h"

uint32_t tprof_arch_pci_read(uint32_t function, uint32_t offset)
{
    (void)function;
    (void)offset;
    return UINT32_MAX;
}

void tprof_arch_pci_write(uint32_t function, uint32_t offset, uint32_t value)
{
    (void)function;
    (void)offset;
    (void)value;
}

bool tprof_arch_pin_exists(uint32_t pin)
{
    (void)pin;
    return false;
}

int tprof_arch_pin_aim(uint32_t pin, uint32_t vector, uint32_t hardware_id)
{
    (void)pin;
    (void)vector;
    (void)hardware_id;
    return TPROF_ERR_DEVICE;
}

void tprof_arch_pin_mask(uint32_t pin)
{
    (void)pin;
}

bool tprof_arch_message(uint32_t vector, uint32_t hardware_id,
                        uint64_t *address, uint32_t *data)
{
    (void)vector;
    (void)hardware_id;
    (void)address;
    (void)data;
    return false;
}
