/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of a device on any bus. */
#include "arch/arch.h"
#include "virtio/virtio.h"

/* A bus is a map of offsets and widths. A table of functions would need
 * relocation in an image that moves when it is loaded. */
static uintptr_t address_of(const struct tprof_virtio *dev,
                            enum tprof_virtio_reg reg)
{
    return dev->registers + (dev->map[reg] & 0xff);
}

static uint32_t width_of(const struct tprof_virtio *dev,
                         enum tprof_virtio_reg reg)
{
    return dev->map[reg] >> 8;
}

uint32_t tprof_virtio_read(const struct tprof_virtio *dev,
                           enum tprof_virtio_reg reg)
{
    return tprof_arch_read(address_of(dev, reg), width_of(dev, reg));
}

void tprof_virtio_write(const struct tprof_virtio *dev,
                        enum tprof_virtio_reg reg, uint32_t val)
{
    tprof_arch_write(address_of(dev, reg), width_of(dev, reg), val);
}

void tprof_virtio_notify(const struct tprof_virtio *dev, uintptr_t where,
                         uint32_t index)
{
    /* on each bus the number of a queue has one width everywhere */
    tprof_arch_write(where, width_of(dev, VIRTIO_QUEUE_SEL), index);
}
