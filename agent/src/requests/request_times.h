/* SPDX-License-Identifier: BSD-2-Clause */
/* The times of a thread while the thread works on a request. */
#ifndef TPROF_REQUEST_TIMES_H
#define TPROF_REQUEST_TIMES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "requests/request_tables.h"
#include "threads/thread_table.h"

/* Stores in (ticks) the times in which (t) was ready and blocked, up to (now).
 * Returns (now), or the end of the thread. */
uint64_t tprof_request_times_read(struct tprof_thread_record *t, uint64_t now,
                                  uint64_t *ticks);

/* Has the thread of (o) only run since (o->since)? Then no call has changed its
 * word. */
TPROF_HOT bool tprof_request_times_only_run(const struct tprof_open_request *o)
{
    uint32_t state = o->word % (1u << TPROF_THREAD_STATE_BITS);

    return (state == TPROF_THREAD_RUNNING || state == TPROF_THREAD_UNKNOWN) &&
           atomic_load(&o->thread->word) == o->word;
}

/* Adds to (o) its thread's times since (o->since). */
TPROF_HOT void tprof_request_times_add(struct tprof_open_request *o,
                                       uint64_t now)
{
    uint64_t sum[TPROF_THREAD_TIMES];
    uint64_t end = now;

    if (!o->thread || tprof_request_times_only_run(o)) {
        o->ticks[0] += now - o->since;
        return;
    }
    end = tprof_request_times_read(o->thread, now, sum);
    uint64_t rest = end > o->since ? end - o->since : 0;

    for (uint32_t i = 1; i < TPROF_THREAD_TIMES; i++) {
        uint64_t more = sum[i] > o->sum[i] ? sum[i] - o->sum[i] : 0;

        if (more > rest)
            more = rest;
        o->ticks[i] += more;
        rest -= more;
    }
    o->ticks[0] += rest;
}

#endif
