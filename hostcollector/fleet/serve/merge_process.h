/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges windows of a spool in a separate process of lower priority than the
 * process that serves guests. The merging process is confined to the spool's
 * folder. It is restarted when it exits, and exits with the serving process.
 */
#ifndef TPROF_FLEET_SERVE_MERGE_PROCESS_H
#define TPROF_FLEET_SERVE_MERGE_PROCESS_H

#include "fleet/windows/status.h"
#include "guard/sandbox.h"
#include "recording/spool/compact.h"
#include "util/err.h"

/* Start the merging process for the spool (folder). Call this before the
 * calling process is confined. (s) counts restarts. Returns 0; -1 with (e)
 * filled. */
int merge_process_start(enum sandbox_mode mode, const char *folder,
                        struct status *s, struct err *e);

/* Merge once in (folder), in the calling process, which is confined to (folder)
 * afterwards. Messages begin with (name). Returns 0; -1 with (e) filled. */
int merge_process_once(enum sandbox_mode mode, const char *folder,
                       const char *name, struct compact_sums *sums,
                       struct err *e);

#endif
