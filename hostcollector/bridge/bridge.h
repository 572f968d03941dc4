/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gives a guest virtio-vsock without /dev/vhost-vsock: QEMU connects to one
 * Unix socket (vhost-user), programs that talk with the guest to another.
 */
#ifndef TPROF_BRIDGE_BRIDGE_H
#define TPROF_BRIDGE_BRIDGE_H

#include <stdint.h>

#include "util/err.h"

#define BRIDGE_CID_MIN 3u /* the smaller ones are the host's */
#define BRIDGE_CID_MAX 0xfffffffeu

struct bridge;

struct bridge_config {
    const char *vhost_user; /* where QEMU connects */
    const char *uds;        /* where "CONNECT port" is understood; the guest's
                               calls go to uds_PORT */
    uint32_t cid;           /* the guest's, BRIDGE_CID_MIN to _MAX */
    int stop_fd; /* bridge_run() ends when it is readable; -1: none */
    /* Told what a user should know, one line each. */
    void (*say)(void *context, const char *line);
    void *context; /* of say() */
};

/*
 * Listen at both paths, whose strings stay the caller's, and serve up to 1,024
 * connections, fewer where so many files must not be open. Handles SIGBUS of
 * the process from here on. Returns NULL with (e) filled.
 */
struct bridge *bridge_open(const struct bridge_config *config, struct err *e);

/* Serve until there is something on stop_fd. Returns 0; -1 with (e) filled. */
int bridge_run(struct bridge *b, struct err *e);

/* One turn of it, which waits up to (timeout_ms), -1: for ever. Returns 1 if
 * there is something on stop_fd, else 0; -1 with (e) filled. */
int bridge_turn(struct bridge *b, int timeout_ms, struct err *e);

/* Close everything and remove both sockets. NULL is allowed. */
void bridge_close(struct bridge *b);

#endif
