/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The channel over virtio-vsock: a listener on one port, and one host's stream
 * at a time. What is exported is tprof_vsock, declared in tprof.h.
 *
 * Nothing is queued here. A packet that brings data keeps its buffer until
 * the session has taken them, and those behind it wait in the ring; one that
 * wants an answer is the last to be looked at until that answer has found a
 * place in the other ring. So a host that floods us fills its device's rings
 * and nothing else. What we send the device reads where it lies.
 *
 * A host that died without a word is found out when the next one calls: if it
 * does not answer within a second, its place is free.
 *
 * Our own address is whatever the host has called: the device's configuration
 * is never read.
 */
#ifndef TPROF_TRANSPORT_VSOCK_H
#define TPROF_TRANSPORT_VSOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "notice.h"
#include "tprof/tprof.h"
#include "virtio/virtio_vsock.h"

#define TPROF_VSOCK_PORT 7077u

/* The bytes that a host may send before it hears that we took some: no more
 * than the buffers hold, were each packet full. */
#define TPROF_VSOCK_CREDIT                                                     \
    (TPROF_VSOCK_BUFFERS * (TPROF_VSOCK_BUFFER_SIZE - VIRTIO_VSOCK_HEADER_SIZE))

enum tprof_vsock_state {
    TPROF_VSOCK_NOBODY,
    TPROF_VSOCK_CALLS, /* asked for a connection: open() will answer */
    TPROF_VSOCK_THERE,
};

/* Caller-allocated, physically contiguous, nobody else's from init on. */
struct tprof_vsock_link {
    enum tprof_vsock_state state; /* of the host that follows */
    uint64_t own_cid, host_cid;
    uint32_t host_port;

    /* Credit, wrapping as on the wire: what the host has room for, and how
     * much of the bytes (sent) it took; what we took, and what it knows of */
    uint32_t host_room, host_taken, sent;
    uint32_t taken, told;
    bool asked;          /* for credit, since it last spoke */
    bool owe_update;     /* to say what we took */
    bool owe_request;    /* to ask what it took */
    bool probed;         /* somebody else calls: is it alive? */
    uint64_t probe_time; /* since when, by the clock */

    /* The answer that waits for a place in the ring, if (owe_answer) */
    bool owe_answer;
    struct tprof_vsock_header answer;

    /* The received buffer that is being copied out, if (left) is not 0 */
    uint32_t receive_id, receive_left;
    const uint8_t *receive_from;

    struct tprof_notice_irq notice;
    uint64_t second; /* clock ticks */
    struct tprof_channel *channel;
    const struct tprof_device *where;
    struct tprof_virtio_vsock device;
};

#endif
