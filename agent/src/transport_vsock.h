/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The channel over virtio-vsock: a listener on one port, and one host's stream
 * at a time. The table is tprof_vsock, declared in tprof.h.
 *
 * This transport queues nothing. A packet with data keeps its buffer until the
 * session has taken the data; packets behind it wait in the ring. After a
 * packet that wants an answer no other packet is looked at until the answer has
 * found a place in the other ring. So a host that floods the guest fills the
 * rings of its device and nothing else. The device reads the bytes that are
 * sent where the caller has them.
 *
 * A host that died without a word is noticed when the next host calls: if the
 * first one does not answer within a second, its place is free.
 *
 * The guest's address is the one that the host has called; the device's
 * configuration is never read.
 */
#ifndef TPROF_TRANSPORT_VSOCK_H
#define TPROF_TRANSPORT_VSOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "notice.h"
#include "tprof/tprof.h"
#include "virtio/virtio_vsock.h"

#define TPROF_VSOCK_PORT 7077u

/* Bytes that a host may send before it hears that some were taken: what the
 * buffers hold when each packet is full. */
#define TPROF_VSOCK_CREDIT                                                     \
    (TPROF_VSOCK_BUFFERS * (TPROF_VSOCK_BUFFER_SIZE - VIRTIO_VSOCK_HEADER_SIZE))

enum tprof_vsock_state {
    TPROF_VSOCK_NOBODY, /* no host */
    TPROF_VSOCK_CALLS,  /* a host wants a connection: open() will answer */
    TPROF_VSOCK_THERE,  /* a host is connected */
};

/* Caller-allocated, physically contiguous, nobody else's from init on. */
struct tprof_vsock_link {
    /* The host, and where it and the guest are */
    enum tprof_vsock_state state;
    uint64_t own_cid, host_cid;
    uint32_t host_port;

    /* Credit; counters wrap as on the wire. Bytes that the host can buffer;
     * bytes that it has taken, of those sent. */
    uint32_t host_room, host_taken, sent;
    /* Bytes that the guest has taken, and how many of them the host was told */
    uint32_t taken, told;
    bool asked;       /* the host was asked for credit since it last spoke */
    bool owe_update;  /* the host must hear what was taken */
    bool owe_request; /* the host must be asked what it has taken */

    /* Another host calls: this one must speak, or it has died. Since when, and
     * how many clock ticks it gets */
    bool probed;
    uint64_t probe_time;
    uint64_t second;

    /* The answer that waits for a place in the ring, if (owe_answer) */
    bool owe_answer;
    struct tprof_vsock_header answer;

    /* The received buffer that is being copied out, if (receive_left) is not 0
     */
    uint32_t receive_id, receive_left;
    const uint8_t *receive_from;

    struct tprof_notice_irq notice;
    struct tprof_channel *channel;
    const struct tprof_device *where;
    const struct tprof_config *config;
    uint64_t *turned_away; /* callers that may not attach, counted */
    bool refused;          /* a caller was, since open() began */
    struct tprof_virtio_vsock device;
};

#endif
