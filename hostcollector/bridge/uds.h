/* SPDX-License-Identifier: BSD-2-Clause */
/* The Unix sockets' side: listening, "CONNECT port", and calls to PATH_port. */
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
 * Listen at (path), which stays the caller's. If a socket is there that no
 * process serves any more, it is replaced. The socket is for its user alone
 * (0600), or for all (0666) if (peers) names somebody. Returns 0; -1 with (e)
 * filled and l->fd -1.
 */
int uds_listen(struct uds_listener *l, const char *path,
               const struct peer_rule *peers, struct err *e);

/* Accept who wants in, without waiting. Returns the socket; -1, with (e) filled
 * if somebody was there whom (peers) does not let in. */
int uds_accept(const struct uds_listener *l, const struct peer_rule *peers,
               struct err *e);

/* Stop listening, and remove the socket file unless another has replaced it. */
void uds_close(struct uds_listener *l);

/* Connect to (path)_(port), without waiting. Returns the socket; -1, with (e)
 * filled if somebody serves it whom (peers) does not allow. */
int uds_dial(const char *path, uint32_t port, const struct peer_rule *peers,
             struct err *e);

/*
 * Read the line "CONNECT port" and not a byte more. Returns 1 with (port)
 * filled; 0 if the line is not complete yet; -1 if it is another line, or ends.
 */
int uds_hello(int fd, uint32_t *port);

#endif
