/* SPDX-License-Identifier: BSD-2-Clause */
/* Time that the guest's work did not get. A guest may report any number. */
#include "diagnose/cost.h"

#include "diagnose/selected.h"

/* Seconds. No interrupt takes as long as this on average. */
#define TICK_MAX 60.0

struct cost cost_of(const struct profile *p)
{
    struct cost cost = {.share = -1};
    struct selected_range span = selected_span(p);
    double sum = 0, ticks = 0, cores = 0, hz = (double)p->tsc_hz;

    for (size_t i = 0; i < p->core_count; i++) {
        const struct profile_core *core = &p->cores[i];

        if (!(core->cost_tsc > 0))
            continue;
        struct account a = selected_rest(p, core);
        double own = (double)account_ticks(&a);

        if (!(own > 0))
            continue;
        sum += core->cost_tsc * own / (double)account_ticks(&core->account);
        ticks += own;
        cores += selected_part(core);
        cost.cores++;
        if ((double)core->stats.cost_max_tsc > cost.longest)
            cost.longest = (double)core->stats.cost_max_tsc;
    }
    if (cost.cores == 0)
        return cost;
    cost.tick = sum / ticks;
    cost.stood = (p->guest.features & WIRE_FEATURE_OUTSIDE) != 0;
    if (p->tsc_hz != 0 && span.to_s > span.from_s && cores > 0) {
        double time = (span.to_s - span.from_s) * hz * cores;

        cost.share = sum / (cost.stood ? time + sum : time);
    }
    cost.senseless =
        cost.share > 1 || (p->tsc_hz != 0 && cost.tick > TICK_MAX * hz);
    return cost;
}

static double claimed_share(const struct profile *p,
                            const struct profile_core *core)
{
    return core->steal_ns / 1e9 * (double)p->tsc_hz / core->steal_tsc;
}

struct steal cost_steal_of(const struct profile *p)
{
    struct steal steal = {0};
    double sum = 0;

    for (size_t i = 0; i < p->core_count && p->tsc_hz != 0; i++) {
        const struct profile_core *core = &p->cores[i];

        if (!(core->steal_tsc > 0))
            continue;
        double claimed = claimed_share(p, core);
        double share = claimed < 1 ? claimed : 1;

        sum += share;
        if (steal.cores == 0 || share > steal.most) {
            steal.most = share;
            steal.core = core->core;
        }
        steal.senseless |= claimed > 2;
        steal.cores++;
    }
    if (steal.cores != 0)
        steal.mean = sum / (double)steal.cores;
    return steal;
}
