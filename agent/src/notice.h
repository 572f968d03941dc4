/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notice of a host: while there is none, a device interrupts the core that
 * watches for one, so that no core has to look four times a second. This
 * station knows the agent's cores and the device's interrupt; the transport
 * that owns the device knows when it may interrupt.
 */
#ifndef TPROF_NOTICE_H
#define TPROF_NOTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "virtio/virtio_irq.h"

struct tprof_notice_irq {
    struct tprof_virtio_irq irq;
    bool possible;     /* the device can interrupt, and shall */
    uint32_t aimed_at; /* index of the core that was tried last */
    bool aimed;        /* the interrupt arrives there */
};

/* Finds out whether (dev), found by (where), can give notice, and whether the
 * kernel wants that. Before tprof_virtio_go() and in tprof_init() only; (dev)
 * outlives (n). */
void tprof_notice_init(struct tprof_notice_irq *n,
                       const struct tprof_virtio *dev,
                       const struct tprof_device *where);

/* Aims the interrupt at the core that watches now. Returns whether it arrives
 * there. Under the pump's lock. */
bool tprof_notice_aim(struct tprof_notice_irq *n);

/* The interrupt arrives nowhere from now on, unless the kernel has aimed it. */
void tprof_notice_mask(struct tprof_notice_irq *n);

#endif
