/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers about a served guest, from its events. They take some 200 bytes for
 * each of its cores. */
#ifndef TPROF_FLEET_WINDOWS_WATCHED_H
#define TPROF_FLEET_WINDOWS_WATCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/events.h"
#include "util/err.h"

struct watched_core {
    uint64_t samples, lost; /* of the core's account, in this stream */
    uint64_t tsc, cost_tsc; /* of the core's last STATS; 0: none came */
    /* Since the guest's boot: the core samples or could sample; samples
     * came. */
    bool started, sampled;
};

/* Zeroed: no events came. */
struct watched {
    struct watched_core *cores;
    uint32_t core_count;
    uint64_t samples, lost;               /* of this stream */
    uint64_t samples_before, lost_before; /* of earlier streams */
    /* Largest share of a core that sampling took, since watched_rest(). */
    double cost;
};

/* Handle these events, as in model/events.h. */
int watched_hello(struct watched *w, enum hello_kind kind,
                  const struct guest *g, struct err *e);
void watched_account(struct watched *w, uint32_t core, const struct account *a);
void watched_stats(struct watched *w, const struct core_stats *stats);

/* Handle the end of the stream. Another one may follow. */
void watched_end(struct watched *w);

/* Number of the guest's cores: HELLO says how many there may be. */
uint32_t watched_cores(const struct watched *w);

/* Restart measuring the cost. */
void watched_rest(struct watched *w);

/* Release what (w) holds. */
void watched_fini(struct watched *w);

#endif
