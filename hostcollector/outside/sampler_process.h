/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that sample guests from outside (outside/sampler.h), one for each
 * such guest. If the collector fails, the guest of a separate process is
 * released and runs on. The process also answers the guest's debugger
 * connection while the collector reads bytes and writes reports.
 */
#ifndef TPROF_OUTSIDE_SAMPLER_PROCESS_H
#define TPROF_OUTSIDE_SAMPLER_PROCESS_H

#include <stdbool.h>

#include "guest/guest_config.h"
#include "util/err.h"

/*
 * Start the processes for the guests in (o) that need one. Call it before the
 * process has a helper (confine.h) or threads. The guests' specs receive the
 * descriptors. A guest that is stopped already is sampled only if (paused).
 * Returns 0; -1 with (e) filled: a process could not be started.
 */
int sampler_processes_start(const struct guest_config *o, bool paused,
                            struct err *e);

/*
 * Wait until the process for (spec), a dead guest ("memory"), has found the
 * kernel and the registers of its cores. Returns 0, with a warning about the
 * dump in (e) ("is cut: ...") or with (e) empty; -1 with (e) filled: the reason
 * why the process failed. The descriptors are closed in this case.
 */
int sampler_process_sees(const struct guest_spec *spec, struct err *e);

#endif
