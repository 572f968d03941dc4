/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows of a spool are merged by a process of its own, of less priority than
 * the one that meets guests, and confined to the spool's folder. It is started
 * again when it has ended, and ends when that one has.
 */
#ifndef TPROF_FLEET_SERVE_MERGE_PROCESS_H
#define TPROF_FLEET_SERVE_MERGE_PROCESS_H

#include "fleet/windows/status.h"
#include "guard/sandbox.h"
#include "recording/spool/compact.h"
#include "util/err.h"

/* Start it for the spool (folder), before this process is confined; (s) counts
 * how often it is started again. Returns 0; -1 with (e) filled. */
int merge_process_start(enum sandbox_mode mode, const char *folder,
                        struct status *s, struct err *e);

/* Merge once in (folder), in this process, which can do nothing else any more;
 * the lines that it has to say begin with (name). Returns 0; -1 with (e)
 * filled. */
int merge_process_once(enum sandbox_mode mode, const char *folder,
                       const char *name, struct compact_sums *sums,
                       struct err *e);

#endif
