/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCI functions, for tprof_init() only: the kernel reads and writes the same
 * configuration space. A (function) is bus << 8 | device << 3 | number.
 */
#ifndef TPROF_VIRTIO_PCI_H
#define TPROF_VIRTIO_PCI_H

#include <stdint.h>

#include "virtio/virtio_pci_regs.h"

#define TPROF_PCI_CAPABILITIES_MAX 48u /* as many as fit into 192 bytes */

/* Where BAR (bar) of (function) lies in memory; 0: nowhere. */
uintptr_t tprof_pci_bar(uint32_t function, uint32_t bar);

#endif
