/* SPDX-License-Identifier: BSD-2-Clause */
/* The listening socket of the pages, and its URL. */
#ifndef TPROF_FLEET_WEB_LISTEN_H
#define TPROF_FLEET_WEB_LISTEN_H

#include "fleet/web/web_gate.h"
#include "util/err.h"
#include "util/unix_socket.h"

/* Listen at the address of (g). Returns the socket, and in (*file) the file
 * that a Unix socket has made at its path; -1 with (e) filled. */
int listen_open(const struct web_gate *g, struct unix_file *file,
                struct err *e);

/* Write the URL of the page at the socket (fd) into the LISTEN_URL bytes at
 * (url): "unix:PATH" for a Unix socket. */
#define LISTEN_URL 128
void listen_url(const struct web_gate *g, int fd, char *url);

#endif
