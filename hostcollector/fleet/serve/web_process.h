/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that answers by HTTP (fleet/web/web.h). It has no bytes of guests
 * and no files, and shares only a table in memory with the collector. It is
 * restarted when it exits, after a growing pause.
 */
#ifndef TPROF_FLEET_SERVE_WEB_PROCESS_H
#define TPROF_FLEET_SERVE_WEB_PROCESS_H

#include "fleet/serve/serve_config.h"
#include "fleet/serve/serve_images.h"
#include "fleet/windows/status.h"
#include "util/err.h"

/*
 * Start the process if (o) has a listening address. Call this before the
 * calling process has guests, a helper (confine.h) or threads. A line on stderr
 * gives the page's address. Another line reports each restart, which (s)
 * counts. The process exits with the calling process. (images) is the list that
 * the numbers in (s) refer to. Returns 0; -1 with (e) filled.
 */
int web_process_start(const struct serve_config *o, struct status *s,
                      const struct serve_images *images, struct err *e);

/* page_process.c: a process that starts another process for each page, which
 * writes the page from the spool (fleet/web/reports.h). It reads no bytes of
 * guests or clients: it receives names and times only, and checks them. */

/* Answer questions on (socket) until its other end is closed. (s) has the
 * numbers of the (images) that a guest runs. */
void page_process_run(const struct serve_config *o, struct status *s,
                      const struct serve_images *images, int socket);

#endif
