/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the guest's own counters of a core, and keeps its status. */

#include <string.h>

#include "profile/aggregate/aggregate.h"
#include "profile/aggregate/gathered.h"

/* Add the time that the host took between the last STATS and (now), both of
 * one boot. */
static void add_steal(struct sums *s, const struct core_stats *now)
{
    const struct core_stats *last = &s->stats;

    if (!last->has_steal || !now->has_steal || now->tsc <= last->tsc ||
        now->steal_ns < last->steal_ns)
        return;
    s->steal_ns += (double)(now->steal_ns - last->steal_ns);
    s->steal_tsc += (double)(now->tsc - last->tsc);
}

static void add_repaired(struct sums *s, const struct core_stats *now)
{
    if (s->has_stats && now->repaired > s->stats.repaired)
        s->repaired += now->repaired - s->stats.repaired;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Count ticks on cores that have not joined: all before the first STATS, or
 * those between later STATS. Ticks before the first STATS may be of a core
 * that had not joined yet. */
static void add_strangers(struct sums *s, const struct core_stats *now,
                          bool same_boot)
{
    if (!s->has_stats || !same_boot)
        s->strangers = now->unknown_cpu;
    else if (s->has_more_stats)
        s->strangers += less(now->unknown_cpu, s->stats.unknown_cpu);
    else
        s->strangers = less(now->unknown_cpu, s->stats.unknown_cpu);
    s->has_more_stats = s->has_stats && same_boot;
}

/* Does the window continue the session? Yes, if its counters begin where the
 * counters of (s) ended. */
static void join_session(struct aggregate *a, const struct sums *s,
                         const struct core_stats *now)
{
    const uint64_t ended[WIRE_COUNTERS] = {
        [WIRE_COUNTER_SAMPLES] = s->stats.samples,
        [WIRE_COUNTER_MISSED] = s->stats.missed,
        [WIRE_COUNTER_RING_FULL] = s->stats.ring_full,
        [WIRE_COUNTER_REENTERED] = s->stats.reentered,
    };

    if (a->window_began && s->has_stats && now->has_began &&
        memcmp(now->began, ended, sizeof ended) == 0)
        a->profile.sessions--;
    a->window_began = false;
}

void aggregate_stats(void *aggregate, const struct core_stats *stats)
{
    struct aggregate *a = aggregate;
    struct sums *s = aggregate_sums_of(a, stats->core);

    if (s) {
        join_session(a, s, stats);
        add_strangers(s, stats, s->stats_boot == a->profile.boots);
        if (s->stats_boot == a->profile.boots) {
            add_steal(s, stats);
            add_repaired(s, stats);
        }
        s->stats_boot = a->profile.boots;
        /* Count the samples from before this window that are in no earlier
         * window. The agent has counted since boot, so these samples were
         * overwritten. */
        if (a->profile.guest.features & WIRE_FEATURE_BOOT && stats->has_began)
            s->overwritten =
                less(stats->began[WIRE_COUNTER_SAMPLES], s->before);
        s->joined |= (stats->flags & WIRE_STATS_STARTED) || stats->ticks != 0;
        s->has_stats = true;
        s->stats = *stats;
    }
}

void aggregate_status(struct aggregate *a, const struct guest_status *status)
{
    a->profile.has_status = true;
    a->profile.status = *status;
}
