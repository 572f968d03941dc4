/* SPDX-License-Identifier: BSD-2-Clause */
/* Stolen time of the cores. A guest may report any number. */
#include "diagnose/steal.h"

static double claimed_share(const struct profile *p,
                            const struct profile_core *core)
{
    return core->steal_ns / 1e9 * (double)p->tsc_hz / core->steal_tsc;
}

struct steal steal_of(const struct profile *p)
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
