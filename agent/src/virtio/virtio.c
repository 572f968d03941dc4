/* SPDX-License-Identifier: BSD-2-Clause */
/* A device's life on any bus: offered, agreed with, at work, given up. */
#include "virtio/virtio.h"

#include "virtio/virtio_regs.h"
#include "virtio/virtqueue.h"

/* A PCI device may take a moment to reset; each look at it is a VM exit. */
#define RESET_LOOKS 64

static uint32_t status(const struct tprof_virtio *dev)
{
    return tprof_virtio_read(dev, VIRTIO_STATUS);
}

static void set_status(const struct tprof_virtio *dev, uint32_t val)
{
    tprof_virtio_write(dev, VIRTIO_STATUS, val);
}

bool tprof_virtio_offer(const struct tprof_virtio_search *s)
{
    if (s->where->address == 0 && status(s->dev) & VIRTIO_STATUS_DRIVER_OK)
        return false;
    if (s->take(s->context))
        return true;
    set_status(s->dev, 0);
    return false;
}

/* Virtio 1.2, section 3.1.1, steps 1 to 6. */
int tprof_virtio_begin(const struct tprof_virtio *dev, uint64_t needed)
{
    uint32_t ready = VIRTIO_STATUS_ACKNOWLEDGE | VIRTIO_STATUS_DRIVER;
    bool offers_all = true;

    /* 1. Reset. */
    set_status(dev, 0);
    for (int i = 0; i < RESET_LOOKS && status(dev) != 0; i++)
        ;
    /* 2 and 3. We have noticed the device, and know how to drive it. */
    set_status(dev, ready);
    /* 4. Features: what we need and no more. A legacy device has the lower half
     * alone, and no steps 5 and 6. */
    if (!dev->legacy) {
        needed |= VIRTIO_F_VERSION_1;
        ready |= VIRTIO_STATUS_FEATURES_OK;
    }
    for (uint32_t half = 0; half < 2; half++, needed >>= 32) {
        uint32_t bits = (uint32_t)needed;

        tprof_virtio_write(dev, VIRTIO_DEVICE_FEATURES_SEL, half);
        if (bits & ~tprof_virtio_read(dev, VIRTIO_DEVICE_FEATURES))
            offers_all = false;
        tprof_virtio_write(dev, VIRTIO_DRIVER_FEATURES_SEL, half);
        tprof_virtio_write(dev, VIRTIO_DRIVER_FEATURES, bits);
    }
    if (!offers_all) {
        set_status(dev, VIRTIO_STATUS_FAILED);
        return TPROF_ERR_DEVICE;
    }
    /* 5 and 6. Does the device agree, too? */
    set_status(dev, ready);
    return status(dev) == ready ? TPROF_OK : TPROF_ERR_DEVICE;
}

uint32_t tprof_virtio_select(const struct tprof_virtio *dev, uint32_t index)
{
    tprof_virtio_write(dev, VIRTIO_QUEUE_SEL, index);
    return tprof_virtio_read(dev, VIRTIO_QUEUE_SIZE_MAX);
}

uintptr_t tprof_virtio_enable(const struct tprof_virtio *dev, uint32_t size,
                              uint64_t address)
{
    const uint32_t rings[] = {0, tprof_virtqueue_avail_offset(size),
                              tprof_virtqueue_used_offset(size)};

    tprof_virtio_write(dev, VIRTIO_QUEUE_SIZE, size);
    if (dev->legacy) {
        /* A legacy device computes the places of the rings from page size and
         * alignment. Smaller ones than the usual 4096 save 28 KiB for four
         * queues. */
        tprof_virtio_write(dev, VIRTIO_GUEST_PAGE_SIZE, TPROF_VIRTQUEUE_BYTES);
        tprof_virtio_write(dev, VIRTIO_QUEUE_ALIGN, TPROF_VIRTQUEUE_ALIGN);
        tprof_virtio_write(dev, VIRTIO_QUEUE_PFN,
                           (uint32_t)(address / TPROF_VIRTQUEUE_BYTES));
    } else {
        for (uint32_t i = 0; i < 3; i++) {
            uint64_t ring = address + rings[i];

            tprof_virtio_write(dev, VIRTIO_QUEUE_DESC + 2 * i, (uint32_t)ring);
            tprof_virtio_write(dev, VIRTIO_QUEUE_DESC_HIGH + 2 * i,
                               (uint32_t)(ring >> 32));
        }
        tprof_virtio_write(dev, VIRTIO_QUEUE_READY, 1);
    }
    return dev->doorbells +
           dev->doorbell_step *
               (uintptr_t)tprof_virtio_read(dev, VIRTIO_QUEUE_NOTIFY_OFF);
}

/* Step 8; its step 7 was the queues. */
void tprof_virtio_go(const struct tprof_virtio *dev)
{
    set_status(dev, status(dev) | VIRTIO_STATUS_DRIVER_OK);
}

bool tprof_virtio_works(const struct tprof_virtio *dev)
{
    /* a device that is gone reads as all ones, one that was reset as 0 */
    return (status(dev) & (VIRTIO_STATUS_DRIVER_OK | VIRTIO_STATUS_NEEDS_RESET |
                           VIRTIO_STATUS_FAILED)) == VIRTIO_STATUS_DRIVER_OK;
}

void tprof_virtio_give_up(const struct tprof_virtio *dev)
{
    set_status(dev, 0);
    set_status(dev, VIRTIO_STATUS_FAILED);
}
