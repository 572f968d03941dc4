/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers about a served guest, from its events. */
#include "fleet/windows/watched.h"

#include <stdlib.h>

int watched_hello(struct watched *w, enum hello_kind kind,
                  const struct guest *g, struct err *e)
{
    struct watched_core *grown;

    /* after a reboot clocks begin anew, and cores start again */
    if (kind == HELLO_REBOOT)
        for (uint32_t i = 0; i < w->core_count; i++) {
            w->cores[i].tsc = 0;
            w->cores[i].started = w->cores[i].sampled = false;
        }
    if (g->cores <= w->core_count)
        return 0;
    grown = realloc(w->cores, g->cores * sizeof *grown);
    if (grown == NULL)
        return err_memory(e);
    for (uint32_t i = w->core_count; i < g->cores; i++)
        grown[i] = (struct watched_core){0};
    w->cores = grown;
    w->core_count = g->cores;
    return 0;
}

void watched_account(struct watched *w, uint32_t core, const struct account *a)
{
    uint64_t lost = account_ticks(a) - a->samples;

    if (core >= w->core_count)
        return;
    struct watched_core *c = &w->cores[core];

    c->sampled |= a->samples != c->samples;
    w->samples += a->samples - c->samples;
    w->lost += lost - c->lost;
    c->samples = a->samples;
    c->lost = lost;
}

void watched_stats(struct watched *w, const struct core_stats *stats)
{
    if (stats->core >= w->core_count)
        return;
    struct watched_core *c = &w->cores[stats->core];

    if (c->tsc != 0 && stats->tsc > c->tsc && stats->cost_tsc > c->cost_tsc) {
        double share = (double)(stats->cost_tsc - c->cost_tsc) /
                       (double)(stats->tsc - c->tsc);

        if (share > w->cost)
            w->cost = share < 1 ? share : 1;
    }
    c->tsc = stats->tsc;
    c->cost_tsc = stats->cost_tsc;
    c->started = (stats->flags & WIRE_STATS_STARTED) != 0;
}

void watched_end(struct watched *w)
{
    w->samples_before += w->samples;
    w->lost_before += w->lost;
    w->samples = 0;
    w->lost = 0;
    for (uint32_t i = 0; i < w->core_count; i++)
        w->cores[i] = (struct watched_core){0};
}

uint32_t watched_cores(const struct watched *w)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->core_count; i++)
        count += w->cores[i].started || w->cores[i].sampled;
    return count;
}

void watched_rest(struct watched *w)
{
    w->cost = 0;
}

void watched_fini(struct watched *w)
{
    free(w->cores);
    *w = (struct watched){0};
}
