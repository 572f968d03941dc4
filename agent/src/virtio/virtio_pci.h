/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions on the PCI bus. For tprof_init() only, because the kernel uses the
 * same configuration space. (function) is bus << 8 | device << 3 | number.
 */
#ifndef TPROF_VIRTIO_PCI_H
#define TPROF_VIRTIO_PCI_H

#include <stdint.h>

#include "virtio/virtio_pci_regs.h"

/* Greatest number of capabilities of a function: those that fit into 192 bytes
 */
#define TPROF_PCI_CAPABILITIES_MAX 48u

/* Returns the physical address of the memory behind BAR (bar) of (function); 0
 * if there is none. */
uint64_t tprof_pci_bar(uint32_t function, uint32_t bar);

#endif
