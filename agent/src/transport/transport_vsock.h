/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The channel over virtio-vsock: a listener on one port, and one host's stream
 * at a time. The table is tprof_vsock, declared in tprof.h.
 *
 * This transport has no queue of its own. A packet with data keeps its buffer
 * until the session has taken the data; later packets wait in the ring. After a
 * packet that needs an answer, no other packet is read until the answer has a
 * place in the other ring.
 */
#ifndef TPROF_TRANSPORT_VSOCK_H
#define TPROF_TRANSPORT_VSOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "tprof/tprof.h"
#include "transport/notice.h"
#include "virtio/virtio_vsock.h"

#define TPROF_VSOCK_PORT 7077u

/* Bytes that a host may send before it learns that some were taken: the size of
 * all buffers. */
#define TPROF_VSOCK_CREDIT                                                     \
    (TPROF_VSOCK_BUFFERS * (TPROF_VSOCK_BUFFER_SIZE - VIRTIO_VSOCK_HEADER_SIZE))

enum tprof_vsock_state {
    TPROF_VSOCK_NOBODY, /* no host */
    TPROF_VSOCK_CALLS,  /* a host wants a connection: open() will answer */
    TPROF_VSOCK_THERE,  /* a host is connected */
};

/* A vsock device with its connection. Allocated by the caller, physically
 * contiguous, and used by this driver alone from init on. */
struct tprof_vsock_link {
    /* Addresses of the host and of the guest */
    enum tprof_vsock_state state;
    uint64_t own_cid, host_cid;
    uint32_t host_port;

    /* Credit; counters wrap as on the wire. Bytes that the host can buffer, and
     * how many of the sent bytes the host has taken. */
    uint32_t host_room, host_taken, sent;
    /* Bytes that the guest has taken, and how many of them it has reported to
     * the host */
    uint32_t taken, told;
    bool asked;       /* a request was sent since the host's last packet */
    bool owe_update;  /* a credit update has to be sent */
    bool owe_request; /* a credit request has to be sent */

    /* Another host calls, and (probed) is set. The connected host must send a
     * packet within (second) clock ticks after (probe_time), or counts as dead.
     */
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
    uint64_t *turned_away; /* counter of callers that may not attach */
    bool refused;          /* a caller was refused since open() began */
    struct tprof_virtio_vsock device;
};

#endif
