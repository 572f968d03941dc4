/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device's interrupt, for a driver that is told of news instead of
 * looking for them. It is aimed at one core: on PCI by MSI-X, in memory by a
 * pin of the machine's interrupt controller. No function waits; all but
 * tprof_virtio_irq_init() may run in an interrupt. One caller at a time. Which
 * queues interrupt at all is told in each queue's memory (virtqueue.h).
 */
#ifndef TPROF_VIRTIO_IRQ_H
#define TPROF_VIRTIO_IRQ_H

#include <stdint.h>

#include "tprof/tprof.h"
#include "virtio/virtio.h"

/* How the interrupt can be aimed. */
struct tprof_virtio_irq {
    const struct tprof_virtio *dev;
    uintptr_t entry; /* on PCI: the first entry of the MSI-X table; 0: none */
    uint32_t pin;    /* in memory: the pin; 0: not known, or not there */
};

/*
 * Finds out how (dev), which was found by (where) and outlives (irq), can
 * interrupt. In tprof_init() only, before tprof_virtio_go(): this reads the
 * command line and PCI configuration space, and switches MSI-X on with its
 * first entry masked.
 *
 * Returns TPROF_OK; or TPROF_ERR_DEVICE: no way is known, and
 * tprof_virtio_irq_route() will return the same.
 */
int tprof_virtio_irq_init(struct tprof_virtio_irq *irq,
                          const struct tprof_virtio *dev,
                          const struct tprof_device *where);

/*
 * On PCI: has all queues of (dev) interrupt by the first entry of the MSI-X
 * table. To be called after each reset of (dev), and before tprof_virtio_go(),
 * at which QEMU ties a vhost device's interrupts. Also needed where the
 * kernel's config.route_irq aims that entry.
 *
 * Returns TPROF_OK; or TPROF_ERR_DEVICE: (dev) has no MSI-X.
 */
int tprof_virtio_irq_bind(const struct tprof_virtio *dev);

/*
 * Aims the interrupt at the core with (hardware_id), at (vector), which is the
 * agent's on every core. May be called again for another core. There may be no
 * interrupt for what the device did before: look at the queues afterwards.
 *
 * Returns TPROF_OK; or TPROF_ERR_DEVICE: the device cannot interrupt, or the
 * pin is used by somebody else.
 */
int tprof_virtio_irq_route(const struct tprof_virtio_irq *irq, uint32_t vector,
                           uint32_t hardware_id);

/* Undoes tprof_virtio_irq_route(). */
void tprof_virtio_irq_mask(const struct tprof_virtio_irq *irq);

/* Tells the device that its interrupt was noticed: a line that is up goes down,
 * so that the next edge can come. To be called before looking at the queues:
 * then an interrupt follows for everything that comes later. */
void tprof_virtio_irq_ack(const struct tprof_virtio *dev);

#endif
