/* SPDX-License-Identifier: BSD-2-Clause */
/* Watches a folder in which sockets appear and vanish. The folder is opened
 * before the process is confined, and read afterwards. */
#ifndef TPROF_FLEET_WINDOWS_SOCKET_FOLDER_H
#define TPROF_FLEET_WINDOWS_SOCKET_FOLDER_H

#include <stdbool.h>

#include "util/err.h"

struct socket_folder;

/* Watch the folder (path), which must outlive the result. NULL with (e)
 * filled. */
struct socket_folder *socket_folder_open(const char *path, struct err *e);

/* Is the folder still at its path? A new folder there is not watched, and a
 * confined process cannot open it. */
bool socket_folder_is_there(const struct socket_folder *f);

/* Release (f). NULL is allowed. */
void socket_folder_close(struct socket_folder *f);

/* A descriptor that is readable when sockets have appeared or vanished. */
int socket_folder_fd(const struct socket_folder *f);

/* Reset the descriptor of socket_folder_fd(). Call this before the folder is
 * listed. */
void socket_folder_heard(struct socket_folder *f);

/* Start listing. socket_folder_next() returns the next name that may be a
 * socket, valid until the next call, and NULL at the end. It skips names that
 * begin with a period, and the names of QEMU's debugger and monitor: *.gdb,
 * *.qmp and *.monitor. */
void socket_folder_begin(struct socket_folder *f);
const char *socket_folder_next(struct socket_folder *f);

#endif
