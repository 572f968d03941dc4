/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many guests at once: one loop that runs any number of pipelines, and keeps
 * one's trouble from the others. One guest is a fleet of one.
 */
#ifndef TPROF_FLEET_H
#define TPROF_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pipeline.h"
#include "util/err.h"

struct fleet;

struct fleet_progress {
    size_t guests;      /* all, those that have ended among them */
    size_t sampling;    /* that are being sampled now */
    uint64_t samples;   /* delivered */
    uint64_t lost;      /* ticks without a sample, for whatever reason */
    double seconds;     /* since sampling began */
    double sample_rate; /* delivered per second, over the last interval */
};

/* Each NULL callback is not called. (context) is handed to all. */
struct fleet_config {
    /* From the first START to any live guest on; 0: until stopped, or the
     * last one's end. */
    double duration_s;

    /* Readable when the user wants to stop (a signalfd or a pipe): up to 128
     * bytes are read each time. The first ends sampling in order, the second
     * leaves at once. 0 or -1: none. */
    int stop_fd;

    void *context;
    /* (p) has ended, and was closed: (end) says why; with (e) it failed, and
     * what came until then is in its profile. Another pipeline may be added
     * for it, and it may be freed. */
    void (*ended)(void *context, struct pipeline *p, enum pipeline_end end,
                  const struct err *e);
    /* Once per (progress_ms) while live guests are being sampled. */
    void (*progress)(void *context, const struct fleet_progress *p);
    uint32_t progress_ms; /* 0: 500 */
};

/* An empty fleet. NULL with (e) filled if there is no memory. */
struct fleet *fleet_new(const struct fleet_config *config, struct err *e);

/*
 * Have (p), which stays the caller's, run as well; before fleet_run() or from
 * fleet_config.ended. Returns 0; -1 with (e) filled if there is no memory.
 */
int fleet_add(struct fleet *f, struct pipeline *p, struct err *e);

/*
 * Run until all have ended. Each gets a bounded share of a round, whatever it
 * sends. Returns 0; -1 with (e) filled if the loop itself cannot go on, and
 * those that have not ended were not closed.
 */
int fleet_run(struct fleet *f, struct err *e);

/* Has the user asked to stop? Then nothing should be added. */
bool fleet_stopping(const struct fleet *f);

/* Release (f), not its pipelines. NULL is allowed. */
void fleet_free(struct fleet *f);

#endif
