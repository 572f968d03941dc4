/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Serves the pages by HTTP, in a separate process that reads no bytes of
 * guests. It answers GET and HEAD of "/", "/metrics", "/healthz" and, if
 * another process makes them, "/guest/NAME?since=-10m&until=-5m&build=1234".
 */
#ifndef TPROF_FLEET_WEB_WEB_H
#define TPROF_FLEET_WEB_WEB_H

#include "fleet/web/web_gate.h"
#include "fleet/windows/status.h"
#include "util/err.h"
#include "util/unix_socket.h"

/* listen.c: the listening socket of the pages, and its URL. */

/* Listen at the address of (g). Returns the socket, and in (*file) the file
 * that a Unix socket has made at its path; -1 with (e) filled. */
int listen_open(const struct web_gate *g, struct unix_file *file,
                struct err *e);

/* Write the URL of the page at the socket (fd) into the LISTEN_URL bytes at
 * (url): "unix:PATH" for a Unix socket. */
#define LISTEN_URL 128
void listen_url(const struct web_gate *g, int fd, char *url);

struct web;

/*
 * Answer clients of the socket (fd), from listen_open(), that (g) admits, with
 * pages about (s). Both must outlive the result, which closes (fd). (reports)
 * is the socket of reports.h; -1: there are no pages of guests. The process
 * may confine itself afterwards. NULL with (e) filled; (fd) stays open in that
 * case.
 */
struct web *web_open(int fd, const struct web_gate *g, const struct status *s,
                     int reports, struct err *e);

/* Answer clients until (stop_fd) is readable or its other end is closed.
 * Returns 0; -1 with (e) filled, also when the process at the other end of
 * (reports) has exited, since its successor gets a new socket. */
int web_run(struct web *w, int stop_fd, struct err *e);

/* Release (w) and close its clients. NULL is allowed. */
void web_close(struct web *w);

#endif
