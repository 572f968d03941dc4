/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps that every driver takes with its device, on any bus */
#include "virtio/virtio.h"

#include "arch/arch.h"
#include "virtio/virtio_regs.h"
#include "virtio/virtqueue.h"

static uint32_t get_status(const struct tprof_virtio *dev)
{
    return tprof_virtio_read(dev, VIRTIO_STATUS);
}

static void set_status(const struct tprof_virtio *dev, uint32_t val)
{
    tprof_virtio_write(dev, VIRTIO_STATUS, val);
}

bool tprof_virtio_offer(struct tprof_virtio_search *s)
{
    if (s->where->address == 0 &&
        get_status(s->dev) & VIRTIO_STATUS_DRIVER_OK) {
        s->why = TPROF_ERR_DEVICE_TAKEN;
        return false;
    }
    int error = s->take(s->context);

    if (error == TPROF_OK)
        return true;
    set_status(s->dev, 0);
    if (error != TPROF_ERR_DEVICE) /* otherwise the known result says more */
        s->why = error;
    return false;
}

/* Virtio 1.2, section 3.1.1, step 1. */
void tprof_virtio_reset(struct tprof_virtio *dev)
{
    set_status(dev, 0);
    dev->reset_time = tprof_arch_now();
}

int tprof_virtio_is_reset(const struct tprof_virtio *dev)
{
    if (get_status(dev) == 0)
        return 1;
    return tprof_arch_now() - dev->reset_time > dev->second ? TPROF_ERR_DEVICE
                                                            : 0;
}

/* Steps 2 to 6. */
int tprof_virtio_agree(const struct tprof_virtio *dev, uint64_t needed)
{
    uint32_t ready = VIRTIO_STATUS_ACKNOWLEDGE | VIRTIO_STATUS_DRIVER;
    uint32_t offered = 0;
    bool offers_all = true;

    /* 2 and 3. The driver has noticed the device, and knows how to drive it. */
    set_status(dev, ready);
    /* 4. Features: the necessary ones and no more. A legacy device has the
     * lower half alone, and no steps 5 and 6. */
    if (!dev->legacy) {
        needed |= VIRTIO_F_VERSION_1;
        ready |= VIRTIO_STATUS_FEATURES_OK;
    }
    for (uint32_t half = 0; half < 2; half++, needed >>= 32) {
        uint32_t bits = (uint32_t)needed;

        tprof_virtio_write(dev, VIRTIO_DEVICE_FEATURES_SEL, half);
        offered = tprof_virtio_read(dev, VIRTIO_DEVICE_FEATURES);
        if (bits & ~offered)
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
    if (get_status(dev) == ready)
        return TPROF_OK;
    return offered & VIRTIO_F_ACCESS_PLATFORM >> 32 ? TPROF_ERR_DEVICE_PLATFORM
                                                    : TPROF_ERR_DEVICE;
}

bool tprof_virtio_has_agreed(const struct tprof_virtio *dev)
{
    return (get_status(dev) & ~VIRTIO_STATUS_FEATURES_OK) ==
           (VIRTIO_STATUS_ACKNOWLEDGE | VIRTIO_STATUS_DRIVER);
}

int tprof_virtio_begin(struct tprof_virtio *dev, uint64_t needed)
{
    int done;

    tprof_virtio_reset(dev);
    while ((done = tprof_virtio_is_reset(dev)) == 0)
        tprof_arch_relax();
    return done < 0 ? done : tprof_virtio_agree(dev, needed);
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
         * alignment. Smaller values than the usual 4096 save 28 KiB for four
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
    uint64_t doorbell = dev->doorbell_step * (uint64_t)tprof_virtio_read(
                                                 dev, VIRTIO_QUEUE_NOTIFY_OFF);

    /* the device names the place of its doorbell of 2 bytes or more, and may
     * lie */
    return doorbell + 2 <= dev->doorbell_bytes ? dev->doorbells + doorbell : 0;
}

/* Step 8. Step 7 was the queues. */
void tprof_virtio_go(const struct tprof_virtio *dev)
{
    set_status(dev, get_status(dev) | VIRTIO_STATUS_DRIVER_OK);
}

bool tprof_virtio_works(const struct tprof_virtio *dev)
{
    /* a device that is gone reads as all ones, one that was reset as 0 */
    return (get_status(dev) &
            (VIRTIO_STATUS_DRIVER_OK | VIRTIO_STATUS_NEEDS_RESET |
             VIRTIO_STATUS_FAILED)) == VIRTIO_STATUS_DRIVER_OK;
}

void tprof_virtio_let_go(struct tprof_virtio *dev)
{
    tprof_virtio_reset(dev);
    while (tprof_virtio_is_reset(dev) == 0)
        tprof_arch_relax();
}

void tprof_virtio_give_up(const struct tprof_virtio *dev)
{
    set_status(dev, 0);
    set_status(dev, VIRTIO_STATUS_FAILED);
}
