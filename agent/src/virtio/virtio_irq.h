/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device's interrupt, for a driver that waits for news without looking
 * for it. The interrupt is aimed at one core: on PCI by MSI-X, in memory by a
 * pin of the machine's interrupt controller. Each queue's memory says whether
 * the queue interrupts (virtqueue.h). No function waits; all but
 * tprof_virtio_irq_init() may run in an interrupt. One caller at a time.
 */
#ifndef TPROF_VIRTIO_IRQ_H
#define TPROF_VIRTIO_IRQ_H

#include <stdint.h>

#include "tprof/tprof.h"
#include "virtio/virtio.h"

/* The way to aim the interrupt */
struct tprof_virtio_irq {
    const struct tprof_virtio *dev;
    uintptr_t entry; /* on PCI: the first entry of the MSI-X table; 0: none */
    uint32_t pin;    /* in memory: the pin; 0: not known, or there is none */
};

/*
 * Finds a way by which (dev) can interrupt. (dev) was found by (where), and
 * outlives (irq). In tprof_init() only, before tprof_virtio_go(): this reads
 * the command line and PCI configuration space, and switches MSI-X on with its
 * first entry masked.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_DEVICE: no way is known. tprof_virtio_irq_route() will return the
 * same.
 */
int tprof_virtio_irq_init(struct tprof_virtio_irq *irq,
                          const struct tprof_virtio *dev,
                          const struct tprof_device *where);

/*
 * On PCI: makes all queues of (dev) interrupt by the first entry of the MSI-X
 * table. Also needed if the kernel's config.route_irq aims that entry. Call
 * this after each reset of (dev), and before tprof_virtio_go(), in which QEMU
 * connects a vhost device's interrupts.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_DEVICE: (dev) has no MSI-X.
 */
int tprof_virtio_irq_bind(const struct tprof_virtio *dev);

/*
 * Aims the interrupt at the core with (hardware_id), at (vector), which is the
 * agent's on every core. May be called again for another core. Earlier news of
 * the device may cause no interrupt: look at the queues afterwards.
 *
 * Returns TPROF_OK;
 * TPROF_ERR_DEVICE: the device cannot interrupt, or another driver uses the
 * pin.
 */
int tprof_virtio_irq_route(const struct tprof_virtio_irq *irq, uint32_t vector,
                           uint32_t hardware_id);

/* Undoes tprof_virtio_irq_route(). */
void tprof_virtio_irq_mask(const struct tprof_virtio_irq *irq);

/* Acknowledges the device's interrupt: its line goes down, so that there can be
 * another edge. Call this before looking at the queues: then all later news
 * causes an interrupt. */
void tprof_virtio_irq_ack(const struct tprof_virtio *dev);

#endif
