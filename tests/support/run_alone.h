/* SPDX-License-Identifier: BSD-2-Clause */
/* Run one pipeline in a loop of its own, from beginning to end. */
#ifndef TPROF_SUPPORT_RUN_ALONE_H
#define TPROF_SUPPORT_RUN_ALONE_H

#include <stdbool.h>
#include <stddef.h>

#include "guest/guest_loop.h"
#include "guest/pipeline.h"
#include "util/err.h"

struct run_alone_outcome {
    enum pipeline_end end;
    bool failed;
    struct err e;
};

static inline void run_alone_ended(void *context, struct pipeline *p,
                                   enum pipeline_end end, const struct err *e)
{
    struct run_alone_outcome *o = context;

    (void)p;
    o->end = end;
    o->failed = e != NULL;
    if (e)
        o->e = *e;
}

/*
 * Run (p), with (duration_s) and (stop_fd) as in guest_loop_config, and close
 * it. Returns 0 and why it ended in (*end); -1 with (e) filled.
 */
static inline int run_alone(struct pipeline *p, double duration_s, int stop_fd,
                            enum pipeline_end *end, struct err *e)
{
    struct run_alone_outcome outcome = {.end = PIPELINE_SOURCE_END};
    struct guest_loop_config alone = {.duration_s = duration_s,
                                      .stop_fd = stop_fd,
                                      .context = &outcome,
                                      .ended = run_alone_ended};
    struct guest_loop *f = guest_loop_new(&alone, e);
    int result = f && guest_loop_add(f, p, e) == 0 ? guest_loop_run(f, e) : -1;

    guest_loop_free(f);
    *end = outcome.end;
    if (outcome.failed && e)
        *e = outcome.e;
    return outcome.failed ? -1 : result;
}

#endif
