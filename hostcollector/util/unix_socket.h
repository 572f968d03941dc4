/* SPDX-License-Identifier: BSD-2-Clause */
/* Unix sockets on which this process listens. Leaf. */
#ifndef TPROF_UTIL_UNIX_SOCKET_H
#define TPROF_UTIL_UNIX_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

/* Identity of a socket's file, so that another process's file is not removed.
 */
struct unix_file {
    dev_t dev;
    ino_t ino; /* 0: no file */
};

/*
 * Listen at (path) with (mode) and a queue of (backlog) clients. An existing
 * socket that no process serves any more is replaced. Any other existing file
 * stays. If (file) is not NULL, stores the identity of the new file in (*file).
 *
 * Returns the socket, which does not block; -1 with (e) filled, and errno
 * EADDRINUSE if another process serves the socket.
 */
int unix_listen(const char *path, mode_t mode, int backlog,
                struct unix_file *file, struct err *e);

/* Does (path) still name (file)? */
bool unix_is_there(const char *path, const struct unix_file *file);

#endif
