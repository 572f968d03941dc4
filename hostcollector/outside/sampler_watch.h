/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second process beside each that samples a guest from outside: it lets the
 * guest go where the first one is killed.
 */
#ifndef TPROF_OUTSIDE_SAMPLER_WATCH_H
#define TPROF_OUTSIDE_SAMPLER_WATCH_H

#include <stdbool.h>

#include "guard/sandbox.h"
#include "outside/guest.h"
#include "util/err.h"

/* What is said to a guest's socket, one text after the other, each heard out,
 * where the process that samples was killed. */
struct sampler_last {
    bool stops;           /* the guest stands still from the connection on */
    const char *held[2];  /* it was held, */
    const char *loose[2]; /* or QEMU had a stub for it */
};

/*
 * Start the watch over the guest behind (fd). It is confined as (mode) says,
 * closes its copies of (ends), and ends when this process does. Returns what
 * both see of the guest; NULL with (e) filled: there is no process or no memory
 * to be had.
 */
struct outside_watched *sampler_watch(enum sandbox_mode mode,
                                      const struct sampler_last *last, int fd,
                                      const int ends[2], struct err *e);

#endif
