/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that sample guests from outside (outside/sampler.h), one for each
 * such guest. A process of its own lets its guest run on whatever becomes of
 * the collector, and holds the guest's debugger while the collector reads bytes
 * and writes reports.
 */
#ifndef TPROF_OUTSIDE_SAMPLER_PROCESS_H
#define TPROF_OUTSIDE_SAMPLER_PROCESS_H

#include <stdbool.h>

#include "guest/guest_config.h"
#include "util/err.h"

/*
 * Start them for the guests of (o) that need one: before the process has a
 * helper (confine.h) or threads. Their descriptors are put into the guests'
 * specs. A guest that stands still already is sampled only if (paused).
 * Returns 0; -1 with (e) filled: there is no process or no memory
 * to be had.
 */
int sampler_processes_start(const struct guest_config *o, bool paused,
                            struct err *e);

/*
 * Wait until the process for (spec), a dead guest's ("memory"), has found the
 * kernel and its cores' registers. Returns 0, and (e) says what is wrong with
 * the dump ("is cut: ..."), or is empty; -1 with (e) saying why it cannot: its
 * descriptors are closed then.
 */
int sampler_process_sees(const struct guest_spec *spec, struct err *e);

#endif
