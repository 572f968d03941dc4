/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second process beside each sampling process. It releases the guest if the
 * sampling process is killed.
 */
#ifndef TPROF_OUTSIDE_SAMPLER_WATCH_H
#define TPROF_OUTSIDE_SAMPLER_WATCH_H

#include <stdbool.h>

#include "guard/sandbox.h"
#include "outside/outside_guest.h"
#include "util/err.h"

/* Texts for the guest's socket, sent one after the other. The answers to a text
 * are read before the next text is sent. */
struct sampler_last {
    bool stops;           /* the guest is stopped from the connection on */
    const char *held[2];  /* if the guest was stopped */
    const char *loose[2]; /* if QEMU had a stub for tprof */
};

/*
 * Start the watch over the guest behind (fd). The new process confines itself
 * as (mode) says, closes its copies of (ends), and ends when this process does.
 * Returns the shared state; NULL with (e) filled: a process could not be
 * started, or there is no memory.
 */
struct outside_watched *sampler_watch(enum sandbox_mode mode,
                                      const struct sampler_last *last, int fd,
                                      const int ends[2], struct err *e);

#endif
