/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pages by HTTP, for a process of its own: never the one that meets bytes
 * of guests. It answers GET and HEAD of "/", "/metrics", "/healthz" and, where
 * another process writes them, "/guest/NAME?since=-10m&until=-5m&build=1234".
 */
#ifndef TPROF_FLEET_WEB_WEB_H
#define TPROF_FLEET_WEB_WEB_H

#include "fleet/web/web_gate.h"
#include "fleet/windows/status.h"
#include "util/err.h"

struct web;

/*
 * Answer at (fd), of listen_open(), whom (g) lets in; (s) is what is shown.
 * Both must outlive what is returned, and (fd) is closed with it. (reports) is
 * the socket of reports.h; -1: there are no pages of guests. The process may
 * confine itself afterwards. NULL with (e) filled; (fd) stays open then.
 */
struct web *web_open(int fd, const struct web_gate *g, const struct status *s,
                     int reports, struct err *e);

/* Answer until (stop_fd) can be read or its other end is closed. 0; -1 with (e)
 * filled, also when nobody writes pages at the other end of (reports) any more:
 * a new process gets a new socket. */
int web_run(struct web *w, int stop_fd, struct err *e);

/* NULL is allowed. */
void web_close(struct web *w);

#endif
