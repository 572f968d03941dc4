/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio-vsock device on the bus of fake_virtio.h. The device does nothing by
 * itself: the test sends packets as the host, and looks at the driver's
 * packets. This file also replaces virtio_irq.c.
 */
#ifndef FAKE_VSOCK_H
#define FAKE_VSOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "fake_virtio.h"

enum { FAKE_RX, FAKE_TX, FAKE_EVENT };

#define FAKE_HEADER 44u

/* Numbers of virtio 1.2, section 5.10.6 */
enum {
    FAKE_REQUEST = 1,
    FAKE_RESPONSE,
    FAKE_RST,
    FAKE_SHUTDOWN,
    FAKE_RW,
    FAKE_CREDIT_UPDATE,
    FAKE_CREDIT_REQUEST
};

struct fake_packet {
    uint64_t src_cid, dst_cid;
    uint32_t src_port, dst_port;
    uint32_t len;
    uint16_t type, op;
    uint32_t flags, buf_alloc, fwd_cnt;
    const void *data; /* (len) bytes */
};

/* Send a packet from the host to the driver. Returns false if the driver has
 * left no buffer that is large enough, or one whose header and data are not
 * apart: old devices refuse that. */
bool fake_to_guest(const struct fake_packet *p);

/* Take the driver's next packet. Its buffer goes back to the driver at once;
 * (p->data) points into it. Returns false if there is no packet. */
bool fake_from_guest(struct fake_packet *p);

/* The same, but buffer (id) goes back only when the test calls fake_push(). */
bool fake_hold(struct fake_packet *p, uint32_t *id);

/* After each packet of the driver the device repeats its own last packet,
 * without waiting for a buffer, and without end. */
extern bool fake_flood;

/* Send an event to the driver; 0 is transport reset. Returns false if there is
 * no buffer. */
bool fake_event(uint32_t event);

/* What a machine offers for the device's interrupt, and what the driver did. */
struct fake_irq {
    bool none; /* tprof_virtio_irq_init() finds no way */
    bool unbound;
    bool unroutable;
    unsigned routed, acked, masked; /* times */
    uint32_t vector, apic_id;
};

extern struct fake_irq fake_irq;

#endif
