/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps a process: forks it, waits, and forks it again when it has ended, after
 * a pause that grows up to a minute. The collector cannot, which is confined by
 * then; the keeper meets no foreign byte, and only forks and waits.
 */
#ifndef TPROF_FLEET_RESPAWN_H
#define TPROF_FLEET_RESPAWN_H

#include <sys/types.h>

#include "util/err.h"

struct respawner {
    const char *what; /* is kept, for the line that says it is started again */
    void *context;
    /*
     * Fork it; (stop) can be read when the collector has ended, and the process
     * ends by itself then. What else it forks may end meanwhile. Returns the
     * process that is waited for; -1 with (e) filled.
     */
    pid_t (*start)(void *context, int stop, struct err *e);
    /* It is started again. */
    void (*again)(void *context);
    /* The collector has ended, and so has the process. NULL: that is all. */
    void (*end)(void *context);
};

/* Fork the keeper (k), before this process is confined or has threads. It ends
 * with this process. Returns 0; -1 with (e) filled. */
int respawn_start(const struct respawner *k, struct err *e);

#endif
