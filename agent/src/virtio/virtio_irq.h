/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device's interrupt, for a driver that would rather be told than
 * look: aimed at one core, on PCI by MSI-X, in memory by a pin of the
 * machine's interrupt controller. Nothing
 * here waits; all but tprof_virtio_irq_init() may run in an interrupt. One
 * caller at a time. Which queues interrupt at all the driver tells the device
 * in each queue's memory.
 */
#ifndef TPROF_VIRTIO_IRQ_H
#define TPROF_VIRTIO_IRQ_H

#include <stdint.h>

#include "tprof/tprof.h"
#include "virtio/virtio.h"

/* Where it can be aimed; 0: not known, or not there. */
struct tprof_virtio_irq {
    const struct tprof_virtio *dev;
    uintptr_t entry; /* PCI: the first of its MSI-X table */
    uint32_t pin;    /* in memory: of the interrupt controller */
};

/*
 * Find out how (dev), which outlives (irq), can interrupt; (where) is what it
 * was searched by. In tprof_init() only, before tprof_virtio_go(): reads the
 * command line and PCI configuration space, and switches MSI-X on with its
 * first entry masked.
 *
 * Returns TPROF_OK, or TPROF_ERR_DEVICE: no way known, tprof_virtio_irq_route()
 * will say the same.
 */
int tprof_virtio_irq_init(struct tprof_virtio_irq *irq,
                          const struct tprof_virtio *dev,
                          const struct tprof_device *where);

/*
 * The device's part: on PCI all queues interrupt by the first entry. After each
 * reset of (dev), and before tprof_virtio_go(), since QEMU ties a vhost
 * device's interrupts then. For config.route_irq, too, which aims that entry.
 *
 * Returns TPROF_OK, or TPROF_ERR_DEVICE: it has no MSI-X.
 */
int tprof_virtio_irq_bind(const struct tprof_virtio *dev);

/*
 * Have the device interrupt the core with (hardware_id) at (vector), which is
 * ours on every core; again to aim it at another one. What the device did
 * before may have gone unnoticed: look at the queues afterwards.
 *
 * Returns TPROF_OK; TPROF_ERR_DEVICE: it cannot, or the pin is somebody else's.
 */
int tprof_virtio_irq_route(const struct tprof_virtio_irq *irq, uint32_t vector,
                           uint32_t hardware_id);

/* The interrupt was noticed, so that the next can come, and a line that is up
 * goes down. Before the queues are looked at: then nothing that comes later is
 * missed. */
void tprof_virtio_irq_ack(const struct tprof_virtio *dev);

#endif
