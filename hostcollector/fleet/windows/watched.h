/* SPDX-License-Identifier: BSD-2-Clause */
/* What a guest that is served has sent, in numbers: events in, sums out. Some
 * 200 bytes for each of its cores. */
#ifndef TPROF_FLEET_WINDOWS_WATCHED_H
#define TPROF_FLEET_WINDOWS_WATCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/events.h"

struct watched_core {
    uint64_t samples, lost; /* by its account, in this stream */
    uint64_t tsc, cost_tsc; /* of its last STATS; 0: none */
    /* Since the guest has booted: it samples, or could; samples came. */
    bool started, sampled;
};

/* Zeroed: nothing came. */
struct watched {
    struct watched_core *cores;
    uint32_t core_count;
    uint64_t samples, lost;               /* of this stream */
    uint64_t samples_before, lost_before; /* of earlier ones */
    /* Share of the core that sampling took most of, since watched_rest(). */
    double cost;
};

/* For pipeline_config.tap; the context is a struct watched. */
extern const struct events watched_events;

/* The stream has ended, and another one may come. */
void watched_end(struct watched *w);

/* How many cores the guest has: HELLO tells for how many there is room. */
uint32_t watched_cores(const struct watched *w);

/* Begin anew with the cost. */
void watched_rest(struct watched *w);

/* Release what (w) holds. */
void watched_fini(struct watched *w);

#endif
