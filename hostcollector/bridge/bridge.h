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

#define BRIDGE_CID_MIN 3u /* the smaller ones are the host's */
#define BRIDGE_CID_MAX 0xfffffffeu

struct bridge;

struct bridge_config {
    const char *vhost_user; /* where QEMU connects */
    /* Where programs connect and send "CONNECT port". When the guest connects
     * to a port of the host, the bridge connects to the socket uds_PORT. */
    const char *uds;
    uint32_t cid; /* the guest's, BRIDGE_CID_MIN to _MAX */
    /* Who may connect, and serve what the guest connects to. Others may not
     * even open the sockets, unless this rule names one. */
    struct peer_rule peers;
    int stop_fd; /* bridge_run() ends when it is readable; -1: none */
    /* Called with a line that the user should read. */
    void (*say)(void *context, const char *line);
    void *context; /* of say() */
};

/*
 * Listen at both paths, whose strings stay the caller's. Serves up to 1,024
 * connections, or fewer if the process may not open so many files; a sixteenth
 * of them is kept for what the guest begins, and as many for clients. Who
 * connects and says nothing is dropped after 8 seconds, or when another wants
 * the place. From here on
 * the bridge handles SIGBUS of the process. Returns NULL with (e) filled.
 */
struct bridge *bridge_open(const struct bridge_config *config, struct err *e);

/* Serve until stop_fd is readable. Returns 0; -1 with (e) filled. */
int bridge_run(struct bridge *b, struct err *e);

/* Serve one turn, which waits up to (timeout_ms), -1: for ever. Returns 1 if
 * stop_fd is readable, else 0; -1 with (e) filled. */
int bridge_turn(struct bridge *b, int timeout_ms, struct err *e);

/* Close everything and remove both sockets. NULL is allowed. */
void bridge_close(struct bridge *b);

#endif
