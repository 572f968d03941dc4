/* SPDX-License-Identifier: BSD-2-Clause */
/* Unix sockets of the bridge: listening, the line "CONNECT port", and
 * connections to PATH_port. This is the convention of Firecracker and Cloud
 * Hypervisor. */
#ifndef TPROF_BRIDGE_UDS_H
#define TPROF_BRIDGE_UDS_H

#include <stdint.h>

#include "guard/peer.h"
#include "util/err.h"
#include "util/unix_socket.h"

/* A path at which the bridge listens. */
struct uds_listener {
    const char *path;
    int fd; /* -1: not open */
    struct unix_file file;
};

/*
 * Listen at (path), which stays the caller's. An existing socket that no
 * process serves any more is replaced. The socket is open to this user only
 * (0600), or to all users (0666) if (peers) names one. Returns 0; -1 with (e)
 * filled and l->fd -1.
 */
int uds_listen(struct uds_listener *l, const char *path,
               const struct peer_rule *peers, struct err *e);

/* Accept a client without waiting. Returns the socket; -1 if there is none. If
 * (peers) refused a client, (e) is filled as well. */
int uds_accept(const struct uds_listener *l, const struct peer_rule *peers,
               struct err *e);

/* Stop listening, and remove the socket file unless another has replaced it. */
void uds_close(struct uds_listener *l);

/* Connect to (path)_(port) without waiting. Returns the socket; -1 on failure.
 * If (peers) refused the process that serves the socket, (e) is filled as well.
 */
int uds_dial(const char *path, uint32_t port, const struct peer_rule *peers,
             struct err *e);

/*
 * Read the line "CONNECT port" and no byte after it. Returns 1 with (port)
 * filled; 0 if the line is not complete yet; -1 if it is another line, or ends
 * early.
 */
int uds_hello(int fd, uint32_t *port);

#endif
