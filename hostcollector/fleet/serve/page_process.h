/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that runs collector report to write a guest's page from the
 * spool (fleet/web/reports.h). It reads no bytes of guests or clients: it gets
 * names and times only, and checks them.
 */
#ifndef TPROF_FLEET_SERVE_PAGE_PROCESS_H
#define TPROF_FLEET_SERVE_PAGE_PROCESS_H

#include "fleet/serve/serve_config.h"
#include "fleet/serve/serve_images.h"
#include "fleet/windows/status.h"

/* Answer questions on (socket) until its other end is closed. (s) says which
 * of (images) a guest runs. */
void page_process_run(const struct serve_config *o, const struct status *s,
                      const struct serve_images *images, int socket);

#endif
