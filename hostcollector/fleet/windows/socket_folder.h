/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder in which sockets come and go. It is opened before the process is
 * confined, and listed afterwards. */
#ifndef TPROF_FLEET_WINDOWS_SOCKET_FOLDER_H
#define TPROF_FLEET_WINDOWS_SOCKET_FOLDER_H

#include <stdbool.h>

#include "util/err.h"

struct socket_folder;

/* Watch (path), which must outlive what is returned. NULL with (e) filled. */
struct socket_folder *socket_folder_open(const char *path, struct err *e);

/* Is it still what is at its path? Another one that is there now is not heard,
 * and a confined process cannot open it. */
bool socket_folder_is_there(const struct socket_folder *f);

/* Release (f). NULL is allowed. */
void socket_folder_close(struct socket_folder *f);

/* Readable when something has come or gone. */
int socket_folder_fd(const struct socket_folder *f);

/* Forget that something has come or gone, since the folder will be listed. */
void socket_folder_heard(struct socket_folder *f);

/* List from the beginning; then the next name that may be a socket's, valid
 * until the next call; NULL: that was all. Names that begin with a point are
 * left out, and those that QEMU's debugger and monitor have: *.gdb, *.qmp and
 * *.monitor. */
void socket_folder_begin(struct socket_folder *f);
const char *socket_folder_next(struct socket_folder *f);

#endif
