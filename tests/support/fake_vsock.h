/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio-vsock device on fake_virtio.h's bus. It does nothing by itself: the
 * test says what comes from the host, and looks at what the driver answered.
 * Also stands for virtio_irq.c.
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

/* From the host to the driver. False: the driver has left no buffer that it
 * fits into. */
bool fake_to_guest(const struct fake_packet *p);

/* The next packet from the driver, which gets it back at once. Its data are
 * where the driver has them. False: there is none. */
bool fake_from_guest(struct fake_packet *p);

/* The same, but the driver gets (id) back only by fake_push(). */
bool fake_hold(struct fake_packet *p, uint32_t *id);

/* Whenever the driver has sent a packet, the last one to it comes again, though
 * the driver has not said that there is a buffer: without end. */
extern bool fake_flood;

/* An event to the driver: 0, transport reset. False: no buffer. */
bool fake_event(uint32_t event);

/* What the driver does about its interrupt. */
struct fake_irq {
    bool none; /* tprof_virtio_irq_init() finds no way */
    bool unbound;
    bool unroutable;
    unsigned routed, acked; /* times */
    uint32_t vector, apic_id;
};

extern struct fake_irq fake_irq;

#endif
