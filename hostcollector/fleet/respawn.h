/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Restarts a child process whenever it exits, after a delay that grows to one
 * minute. The collector cannot do this itself: its sandbox forbids fork.
 * Therefore a process named keeper does it. The keeper reads no untrusted
 * data.
 */
#ifndef TPROF_FLEET_RESPAWN_H
#define TPROF_FLEET_RESPAWN_H

#include <sys/types.h>

#include "util/err.h"

struct respawner {
    /* name of the restarted process, for messages */
    const char *what;
    void *context;
    /*
     * Forks the process. The process must exit when (stop) is readable, because
     * then the collector has exited. The process may fork others, which may
     * exit earlier. Returns the process for which the keeper waits; -1 with (e)
     * filled.
     */
    pid_t (*start)(void *context, int stop, struct err *e);
    /* Called when the process is restarted. */
    void (*again)(void *context);
    /* Called when the collector and the process have exited. May be NULL. */
    void (*end)(void *context);
};

/* Fork the keeper (k), before this process is confined or has threads. The
 * keeper exits with this process. Returns 0; -1 with (e) filled. */
int respawn_start(const struct respawner *k, struct err *e);

#endif
