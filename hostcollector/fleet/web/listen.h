/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the page is: the socket that listens, and what users call it. */
#ifndef TPROF_FLEET_WEB_LISTEN_H
#define TPROF_FLEET_WEB_LISTEN_H

#include "fleet/web/web_gate.h"
#include "util/err.h"
#include "util/unix_socket.h"

/* Listen where (g) says. Returns the socket, and in (*file) what a Unix socket
 * has made at its path; -1 with (e) filled. */
int listen_open(const struct web_gate *g, struct unix_file *file,
                struct err *e);

/* Write the URL of the page at the socket (fd) into (url), LISTEN_URL bytes; of
 * a Unix socket "unix:PATH". */
#define LISTEN_URL 128
void listen_url(const struct web_gate *g, int fd, char *url);

#endif
