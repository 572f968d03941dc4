/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that has collector report write the page of a guest, from the
 * spool (web/reports.h). It meets no guest's bytes and no client's: names and
 * moments are all that it is told, and they are checked.
 */
#ifndef TPROF_CMD_PAGE_PROCESS_H
#define TPROF_CMD_PAGE_PROCESS_H

#include "cmd/options.h"
#include "util/err.h"

/* Start it. Returns the socket for questions, which ends the process when it is
 * closed everywhere; -1 with (e) filled. */
int page_process_start(const struct options *o, struct err *e);

#endif
