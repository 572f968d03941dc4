/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configuration space of a PC's PCI functions, for tprof_init() only: its two
 * ports are the kernel's, too. A (function) is bus << 8 | device << 3 | number,
 * an (offset) a multiple of 4.
 */
#ifndef TPROF_VIRTIO_PCI_H
#define TPROF_VIRTIO_PCI_H

#include <stdint.h>

#include "virtio/virtio_pci_regs.h"

#define TPROF_PCI_CAPABILITIES_MAX 48u /* as many as fit into 192 bytes */

uint32_t tprof_pci_read(uint32_t function, uint32_t offset);

/* What each of its two users calls once or twice is inline: smaller so. */

static inline void tprof_pci_out(uint16_t port, uint32_t val)
{
    __asm__ volatile("outl %0, %1" : : "a"(val), "Nd"(port) : "memory");
}

static inline void tprof_pci_write(uint32_t function, uint32_t offset,
                                   uint32_t val)
{
    tprof_pci_out(PCI_PORT_ADDRESS,
                  PCI_ADDRESS_ENABLE | function << 8 | offset);
    tprof_pci_out(PCI_PORT_DATA, val);
}

/* Where BAR (bar) lies in memory; 0: nowhere. */
static inline uintptr_t tprof_pci_bar(uint32_t function, uint32_t bar)
{
    if (bar >= PCI_BARS)
        return 0;
    uint32_t low = tprof_pci_read(function, PCI_BAR0 + 4 * bar);
    uint64_t high = 0;

    if (low & PCI_BAR_IO)
        return 0;
    if (low & PCI_BAR_64 && bar + 1 < PCI_BARS)
        high = tprof_pci_read(function, PCI_BAR0 + 4 * (bar + 1));
    return (uintptr_t)(high << 32 | (low & ~15u));
}

#endif
