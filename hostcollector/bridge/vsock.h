/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vsock device joins the packets in a guest's rings with connections.
 * from_guest.c and to_guest.c are its two directions.
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

#define VSOCK_REFUSALS 64u /* owed at a time; beyond, the guest has to wait */
#define VSOCK_BATCH    20u /* buffers filled by one readv(): 64 KiB of Linux's */

struct vsock {
    uint64_t cid;
    const char *path; /* the guest's calls to port P go to (path)_P */
    const struct peer_rule *peers; /* who may serve them */
    struct err stranger; /* who served one, and may not; empty: nobody */
    struct vring *rx, *tx;
    const struct bridge_memory *memory;
    struct conns conns;
    /* packets to be answered with RST: a ring */
    struct packet refused[VSOCK_REFUSALS];
    unsigned refused_at, refused_count;
    uint64_t dropped; /* packets that no answer could reach; counted */
    struct chain chain, batch[VSOCK_BATCH]; /* what is being worked on */
};

/* Can a client reach the guest's driver? Only if both rings run; the driver
 * starts them one after the other. */
bool vsock_is_up(const struct vsock *v);

/* epoll told (events) of (c). Frees nothing. */
void vsock_event(struct vsock *v, struct conn *c, uint32_t events);

/*
 * Move packets and bytes, up to a limit. Returns true if it stopped at the
 * limit; else the guest was asked for kicks, and an event will tell when to go
 * on.
 */
bool vsock_pump(struct vsock *v);

/* End connections that the guest did not answer in time. */
void vsock_expire(struct vsock *v);

/* The guest has gone. End all connections as soon as the bytes that it sent
 * have reached the clients. */
void vsock_hang_up(struct vsock *v);

/* from_guest.c: take packets. Returns true if there may be more. */
bool from_guest(struct vsock *v);

/* to_guest.c: serve connections that are ready. Likewise. */
bool to_guest(struct vsock *v);

#endif
