/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Notice of a host: while there is no host, the device interrupts the watching
 * core when one comes. Then no core has to look four times a second. This
 * file joins the agent's cores and the device's interrupt. The transport that
 * owns the device decides when the device may interrupt.
 */
#ifndef TPROF_NOTICE_H
#define TPROF_NOTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "virtio/virtio_irq.h"

struct tprof_notice_irq {
    struct tprof_virtio_irq irq;
    bool possible;     /* the device can interrupt, and the kernel wants that */
    uint32_t aimed_at; /* index of the core that was tried last */
    bool aimed;        /* the interrupt reaches that core */
};

/* Finds out whether (dev), found by (where), can interrupt, and whether the
 * kernel wants that. Before tprof_virtio_go() and in tprof_init() only. (dev)
 * outlives (n). */
void tprof_notice_init(struct tprof_notice_irq *n,
                       const struct tprof_virtio *dev,
                       const struct tprof_device *where);

/* Aims the interrupt at the watching core. Returns whether it reaches that
 * core. Under the pump's lock. */
bool tprof_notice_aim(struct tprof_notice_irq *n);

/* Masks the interrupt, unless the kernel has aimed it. */
void tprof_notice_mask(struct tprof_notice_irq *n);

#endif
