/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gives a guest virtio-vsock without /dev/vhost-vsock. QEMU connects to one
 * Unix socket (vhost-user). Programs that talk to the guest connect to another
 * one.
 */
#ifndef TPROF_BRIDGE_BRIDGE_H
#define TPROF_BRIDGE_BRIDGE_H

#include <stdint.h>

#include "guard/peer.h"
#include "util/err.h"

#define BRIDGE_CID_MIN 3u /* smaller ones are reserved for the host */
#define BRIDGE_CID_MAX 0xfffffffeu

struct bridge;

struct bridge_config {
    const char *vhost_user; /* path of the socket for QEMU */
    /* Path of the socket where programs connect and send "CONNECT port". When
     * the guest connects to port P of the host, the bridge connects to the
     * socket uds_P. */
    const char *uds;
    uint32_t cid; /* of the guest, BRIDGE_CID_MIN to _MAX */
    /* Users who may connect, and who may serve the sockets to which the bridge
     * connects. The modes of the sockets keep other users out, unless (peers)
     * names one. */
    struct peer_rule peers;
    int stop_fd; /* bridge_run() ends when this is readable; -1: none */
    /* Called with each line for the user. */
    void (*say)(void *context, const char *line);
    void *context; /* of say() */
};

/*
 * Listen at both paths, whose strings stay the caller's. Up to 1,024
 * connections are served, or fewer if the process may not open so many files. A
 * sixteenth of them is reserved for connections that the guest starts, and a
 * sixteenth for clients. A client that sends nothing is dropped after 8
 * seconds, or earlier when another client needs its place.
 *
 * The bridge handles SIGBUS of the process from now on. Returns NULL with (e)
 * filled on failure.
 */
struct bridge *bridge_open(const struct bridge_config *config, struct err *e);

/* Serve until stop_fd is readable. Returns 0; -1 with (e) filled. */
int bridge_run(struct bridge *b, struct err *e);

/* Serve one turn, which waits up to (timeout_ms); -1: without limit. Returns 1
 * if stop_fd is readable; 0 otherwise; -1 with (e) filled. */
int bridge_turn(struct bridge *b, int timeout_ms, struct err *e);

/* Close everything and remove both sockets. NULL is allowed. */
void bridge_close(struct bridge *b);

#endif
