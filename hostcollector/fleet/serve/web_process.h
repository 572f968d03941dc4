/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that answers by HTTP (fleet/web/web.h). It has no guest's bytes
 * and no files: a table in memory is all that it shares with the collector.
 * When it ends it is started again, after a pause that grows.
 */
#ifndef TPROF_FLEET_SERVE_WEB_PROCESS_H
#define TPROF_FLEET_SERVE_WEB_PROCESS_H

#include "cli/options.h"
#include "fleet/serve/serve_images.h"
#include "fleet/windows/status.h"
#include "util/err.h"

/*
 * Start it, if (o) says where it listens: before this process has guests, a
 * helper (confine.h) or threads. A line on stderr says where its page is, and
 * one each time that it is started again, which (s) counts. It ends with this
 * process. (images) is the list whose numbers (s) has.
 *
 * Returns 0; -1 with (e) filled.
 */
int web_process_start(const struct options *o, struct status *s,
                      const struct serve_images *images, struct err *e);

#endif
