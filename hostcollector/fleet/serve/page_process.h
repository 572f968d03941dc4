/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that has collector report write the page of a guest, from the
 * spool (fleet/web/reports.h). It meets no guest's bytes and no client's: names
 * and moments are all that it is told, and they are checked.
 */
#ifndef TPROF_FLEET_SERVE_PAGE_PROCESS_H
#define TPROF_FLEET_SERVE_PAGE_PROCESS_H

#include "cli/options.h"
#include "fleet/serve/serve_images.h"
#include "fleet/windows/status.h"

/* Be it: answer questions of (socket) until its other end is closed. (s) says
 * which of (images) a guest runs. */
void page_process_run(const struct options *o, const struct status *s,
                      const struct serve_images *images, int socket);

#endif
