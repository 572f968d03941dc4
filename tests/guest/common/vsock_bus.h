/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One virtio device, modern, by its registers: in memory (virtio 1.2, 4.2) or
 * on the PCI bus (4.1). Knows no kind of device.
 */
#ifndef GUEST_VSOCK_BUS_H
#define GUEST_VSOCK_BUS_H

#include <stdbool.h>
#include <stdint.h>

/* Registers that both buses have, if in different places. */
enum bus_reg {
    BUS_STATUS,
    BUS_FEATURES_SEL, /* 0: bits 0-31, 1: bits 32-63; the driver's */
    BUS_FEATURES,
    BUS_QUEUE_SEL, /* which queue the following mean */
    BUS_QUEUE_SIZE,
    BUS_QUEUE_READY,
    BUS_QUEUE_DESC, /* 64 bits, written as two halves, as are these two */
    BUS_QUEUE_AVAIL,
    BUS_QUEUE_USED,
    BUS_REGS
};

struct bus_device {
    const uint16_t *map; /* places of registers, by enum bus_reg */
    uintptr_t registers;
    uintptr_t config; /* the device's own */
    uintptr_t doorbells;
    uint32_t doorbell_step; /* 0: one for all queues */
};

/* The first device of (type) that there is. False: none. */
bool bus_find(struct bus_device *dev, uint32_t type);

uint32_t bus_read(const struct bus_device *dev, enum bus_reg reg);
void bus_write(const struct bus_device *dev, enum bus_reg reg, uint32_t val);
void bus_write_address(const struct bus_device *dev, enum bus_reg reg,
                       const void *address);

/* Where to notify the selected queue, and doing it. A VM exit. */
uintptr_t bus_doorbell(const struct bus_device *dev);
void bus_notify(const struct bus_device *dev, uintptr_t doorbell,
                uint32_t queue);

#endif
