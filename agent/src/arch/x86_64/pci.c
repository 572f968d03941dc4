/* SPDX-License-Identifier: BSD-2-Clause */
/* PCI configuration space by two ports (PCI 3.0, section 3.2.2.3). */
#include "arch/arch.h"

/* The kernel uses these ports, too. */
#define PORT_ADDRESS   0xcf8u
#define PORT_DATA      0xcfcu
#define ADDRESS_ENABLE (1u << 31)

static void out32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port) : "memory");
}

static void select_register(uint32_t function, uint32_t offset)
{
    out32(PORT_ADDRESS, ADDRESS_ENABLE | function << 8 | offset);
}

uint32_t tprof_arch_pci_read(uint32_t function, uint32_t offset)
{
    uint32_t value;

    select_register(function, offset);
    __asm__ volatile("inl %1, %0"
                     : "=a"(value)
                     : "Nd"((uint16_t)PORT_DATA)
                     : "memory");
    return value;
}

void tprof_arch_pci_write(uint32_t function, uint32_t offset, uint32_t value)
{
    select_register(function, offset);
    out32(PORT_DATA, value);
}
