/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that has collector report write the page of a guest, from the
 * spool (web/reports.h). It meets no guest's bytes and no client's: names and
 * moments are all that it is told, and they are checked.
 */
#ifndef TPROF_CMD_PAGE_PROCESS_H
#define TPROF_CMD_PAGE_PROCESS_H

#include "cmd/options.h"

/* Be it: answer questions of (socket) until its other end is closed. */
void page_process_run(const struct options *o, int socket);

#endif
