/* SPDX-License-Identifier: BSD-2-Clause */
/* The search for a device, over all buses */
#include "virtio/virtio.h"

int tprof_virtio_find(struct tprof_virtio_search *s)
{
    const struct tprof_device *where = s->where;
    uint32_t bus = where->bus;
    bool scan = !(where->flags & TPROF_DEVICE_NO_SCAN);
    bool pci = bus == TPROF_BUS_PCI;

    s->why = TPROF_ERR_DEVICE;
    if (bus == TPROF_BUS_AUTO && where->address == 0 &&
        tprof_virtio_pci_exists()) {
        pci = true;
        scan = false;
    }
    if (bus != TPROF_BUS_PCI && tprof_virtio_mmio_find(s, scan))
        return TPROF_OK;
    return pci && tprof_virtio_pci_find(s) ? TPROF_OK : s->why;
}
