/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of a device on any bus. A bus is a map of offsets and widths: a
 * table of functions would need relocation in an image that moves at load.
 */
#include "virtio/virtio.h"

uint32_t tprof_virtio_read(const struct tprof_virtio *dev,
                           enum tprof_virtio_reg reg)
{
    uintptr_t at = dev->registers + (dev->map[reg] & 0xff);

    switch (dev->map[reg] >> 8) {
    case 1:
        return *(volatile uint8_t *)at;
    case 2:
        return *(volatile uint16_t *)at;
    default:
        return *(volatile uint32_t *)at;
    }
}

void tprof_virtio_write(const struct tprof_virtio *dev,
                        enum tprof_virtio_reg reg, uint32_t val)
{
    uintptr_t at = dev->registers + (dev->map[reg] & 0xff);

    switch (dev->map[reg] >> 8) {
    case 1:
        *(volatile uint8_t *)at = (uint8_t)val;
        break;
    case 2:
        *(volatile uint16_t *)at = (uint16_t)val;
        break;
    default:
        *(volatile uint32_t *)at = val;
        break;
    }
}

void tprof_virtio_notify(const struct tprof_virtio *dev, uintptr_t where,
                         uint32_t index)
{
    /* each bus writes a queue's number in one width everywhere */
    if (dev->map[VIRTIO_QUEUE_SEL] >> 8 == 2)
        *(volatile uint16_t *)where = (uint16_t)index;
    else
        *(volatile uint32_t *)where = index;
}
