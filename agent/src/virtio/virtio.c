/* SPDX-License-Identifier: BSD-2-Clause */
/* A device's life on any bus: found, agreed with, at work, given up. */
#include "virtio/virtio.h"

#include "virtio/virtio_regs.h"

/* A PCI device may take a moment to reset; each look at it is a VM exit. */
#define RESET_LOOKS 64

bool tprof_virtio_available(const struct tprof_virtio_search *s)
{
    bool told = s->where->address != 0;

    return told || !(s->dev->status(s->dev) & VIRTIO_STATUS_DRIVER_OK);
}

bool tprof_virtio_offer(const struct tprof_virtio_search *s)
{
    if (s->take(s->context))
        return true;
    s->dev->set_status(s->dev, 0);
    return false;
}

bool tprof_virtio_find(const struct tprof_virtio_search *s)
{
    const struct tprof_device *where = s->where;
    bool mmio = where->bus == TPROF_BUS_AUTO || where->bus == TPROF_BUS_MMIO;
    bool pci = where->bus == TPROF_BUS_AUTO || where->bus == TPROF_BUS_PCI;
    bool both = mmio && pci;

    if (both && where->address != 0) {
        /* bus, device and function are 16 bits; no register is down there */
        pci = where->address <= UINT16_MAX;
        mmio = !pci;
    }
    bool scan = !(where->flags & TPROF_DEVICE_NO_SCAN) &&
                !(both && tprof_virtio_pci_exists());

    return (mmio && tprof_virtio_mmio_find(s, scan)) ||
           (pci && tprof_virtio_pci_find(s));
}

/* Virtio 1.2, section 3.1.1, steps 1 to 6. */
int tprof_virtio_begin(const struct tprof_virtio *dev, uint64_t needed)
{
    uint32_t status = VIRTIO_STATUS_ACKNOWLEDGE | VIRTIO_STATUS_DRIVER;

    if (!dev->legacy)
        needed |= VIRTIO_F_VERSION_1;

    /* 1. Reset. */
    dev->set_status(dev, 0);
    for (int i = 0; i < RESET_LOOKS && dev->status(dev) != 0; i++)
        ;
    /* 2 and 3. We have noticed it, and know how to drive it. */
    dev->set_status(dev, VIRTIO_STATUS_ACKNOWLEDGE);
    dev->set_status(dev, status);
    /* 4. Features: what we need and no more. */
    if ((dev->features(dev) & needed) != needed)
        goto fail;
    dev->accept(dev, needed);
    if (dev->legacy)
        return TPROF_OK; /* knows of no step 5 and 6 */
    /* 5 and 6. Does it agree? */
    dev->set_status(dev, status | VIRTIO_STATUS_FEATURES_OK);
    if (dev->status(dev) & VIRTIO_STATUS_FEATURES_OK)
        return TPROF_OK;

fail:
    tprof_virtio_give_up(dev);
    return TPROF_ERR_DEVICE;
}

/* Step 8; its step 7 was the queues. */
void tprof_virtio_go(const struct tprof_virtio *dev)
{
    dev->set_status(dev, dev->status(dev) | VIRTIO_STATUS_DRIVER_OK);
}

bool tprof_virtio_works(const struct tprof_virtio *dev)
{
    /* a device that is gone reads as all ones, one that was reset as 0 */
    return (dev->status(dev) &
            (VIRTIO_STATUS_DRIVER_OK | VIRTIO_STATUS_NEEDS_RESET |
             VIRTIO_STATUS_FAILED)) == VIRTIO_STATUS_DRIVER_OK;
}

void tprof_virtio_give_up(const struct tprof_virtio *dev)
{
    dev->set_status(dev, 0);
    dev->set_status(dev, VIRTIO_STATUS_FAILED);
}
