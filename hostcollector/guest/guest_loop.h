/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs any number of pipelines in one loop. A pipeline that fails does not
 * affect the others.
 */
#ifndef TPROF_GUEST_GUEST_LOOP_H
#define TPROF_GUEST_GUEST_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/pipeline.h"
#include "util/err.h"

struct guest_loop;

struct guest_loop_progress {
    size_t guests;      /* guests in the loop, ended or not */
    size_t sampling;    /* guests that are being sampled now */
    uint64_t samples;   /* delivered */
    uint64_t lost;      /* ticks without a sample, for any reason */
    double seconds;     /* since sampling began */
    double sample_rate; /* delivered per second, over the last interval */
};

/* A NULL callback is not called. (context) is passed to all callbacks. */
struct guest_loop_config {
    /* Longest time of sampling, from the first START that a live guest got. 0:
     * until the user stops, or the last pipeline ends. */
    double duration_s;

    /* A signalfd or a pipe that becomes readable when the user wants to stop;
     * up to 128 bytes are read each time. The first byte ends sampling in
     * order. Further bytes within half a second count as the same wish, because
     * a terminal and a supervisor may both send a signal. A later byte ends
     * sampling at once. 0 or -1: no descriptor. */
    int stop_fd;

    void *context;
    /* Called when (p) has ended and was closed; (end) is the reason. If (e) is
     * not NULL, (p) failed, and its profile has the samples until then. The
     * callback may add another pipeline and free (p). */
    void (*ended)(void *context, struct pipeline *p, enum pipeline_end end,
                  const struct err *e);
    /* Called every (progress_ms) while live guests are being sampled. */
    void (*progress)(void *context, const struct guest_loop_progress *p);
    uint32_t progress_ms; /* 0: 500 ms */

    /* Continue without pipelines until the user stops. Each callback here may
     * add pipelines. (progress) is not called. */
    bool stays;
    /* A descriptor that is readable when (wake) has work to do. 0 or -1: no
     * descriptor. */
    int wake_fd;
    void (*wake)(void *context);
    /* Called at once, and then each time that it has returned last. Times are
     * of source_now_ns(). */
    uint64_t (*tick)(void *context);
};

/* A loop without pipelines. NULL with (e) filled if there is no memory. */
struct guest_loop *guest_loop_new(const struct guest_loop_config *config,
                                  struct err *e);

/*
 * Add (p), which stays the caller's, before guest_loop_run() or in a callback
 * of guest_loop_config. Returns 0; -1 with (e) filled if there is no memory.
 */
int guest_loop_add(struct guest_loop *f, struct pipeline *p, struct err *e);

/* End (p) because of (end), as pipeline_stop() does. Other pipelines go on. */
void guest_loop_stop(struct guest_loop *f, struct pipeline *p,
                     enum pipeline_end end);

/*
 * Run until all pipelines have ended. Each pipeline gets a bounded share of a
 * round, however much its guest sends. Returns 0; -1 with (e) filled if the
 * loop cannot go on. In that case pipelines that have not ended are not
 * closed.
 */
int guest_loop_run(struct guest_loop *f, struct err *e);

/* Has the user asked to stop? If so, do not add a pipeline. */
bool guest_loop_stopping(const struct guest_loop *f);

/* End all pipelines in order, as at the end of (duration_s). May be called in
 * guest_loop_config.progress. */
void guest_loop_end(struct guest_loop *f);

/* Returns a time of clock_ns(). Until this time another signal counts as part
 * of the last signal to stop. 0: no signal came. */
uint64_t guest_loop_stop_grace_ns(const struct guest_loop *f);

/* Release (f), not its pipelines. NULL is allowed. */
void guest_loop_free(struct guest_loop *f);

#endif
