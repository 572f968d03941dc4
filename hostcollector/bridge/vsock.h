/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vsock device, which joins the packets in a guest's rings with
 * connections. from_guest.c and to_guest.c are its two directions.
 */
#ifndef TPROF_BRIDGE_VSOCK_H
#define TPROF_BRIDGE_VSOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "bridge/bridge_memory.h"
#include "bridge/conn.h"
#include "bridge/packet.h"
#include "bridge/vring.h"
#include "guard/peer.h"
#include "util/err.h"

/* limit of RST packets that wait; at the limit the guest has to wait */
#define VSOCK_REFUSALS 64u
/* buffers that one readv() fills. A Linux guest offers 64 KiB in so many */
#define VSOCK_BATCH    20u

struct vsock {
    uint64_t cid;
    const char *path; /* connections of the guest to port P go to (path)_P */
    const struct peer_rule *peers; /* users who may serve these sockets */
    struct err stranger; /* error about a socket that another user serves;
                          * empty: none */
    struct vring *rx, *tx;
    const struct bridge_memory *memory;
    struct conns conns;
    /* ring of packets to be answered with RST */
    struct packet refused[VSOCK_REFUSALS];
    unsigned refused_at, refused_count;
    uint64_t dropped; /* packets that could not be answered */
    struct chain chain, batch[VSOCK_BATCH]; /* chains in use */
};

/* Can clients reach the guest's driver? Both rings must run; the driver starts
 * them one after the other. */
bool vsock_is_up(const struct vsock *v);

/* Handle epoll's (events) for (c). Frees nothing. */
void vsock_event(struct vsock *v, struct conn *c, uint32_t events);

/*
 * Move packets and bytes, up to a limit. Returns true if the limit was reached.
 * Returns false if there is no more work: the guest's next kick will cause an
 * event.
 */
bool vsock_pump(struct vsock *v);

/* End connections that the guest did not answer in time. */
void vsock_expire(struct vsock *v);

/* End all connections, because the guest is gone. Each one ends once the
 * guest's bytes have reached its client. */
void vsock_hang_up(struct vsock *v);

/* Take packets (from_guest.c). Returns true if there may be more. */
bool from_guest(struct vsock *v);

/* Serve connections that are ready (to_guest.c). Returns true if there may be
 * more. */
bool to_guest(struct vsock *v);

#endif
