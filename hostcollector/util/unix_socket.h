/* SPDX-License-Identifier: BSD-2-Clause */
/* Unix sockets at which this process listens. Leaf. */
#ifndef TPROF_UTIL_UNIX_SOCKET_H
#define TPROF_UTIL_UNIX_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

/* A socket's file, so that nobody else's is removed. */
struct unix_file {
    dev_t dev;
    ino_t ino; /* 0: none */
};

/*
 * Listen at (path) with (mode), for (backlog) clients that wait. If a socket is
 * there that no process serves any more, it is replaced; anything else that is
 * there stays. (*file), unless NULL, is what was made. Returns the socket,
 * which does not block; -1 with (e) filled, and errno EADDRINUSE if the socket
 * that is there is served.
 */
int unix_listen(const char *path, mode_t mode, int backlog,
                struct unix_file *file, struct err *e);

/* Is (path) still (file)? */
bool unix_is_there(const char *path, const struct unix_file *file);

#endif
