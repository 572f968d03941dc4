/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up what STATS say of the host; a guest may say anything. */
#include "diagnose/steal.h"

static double stolen_share(const struct profile *p,
                           const struct profile_core *core)
{
    double s = core->steal_ns / 1e9 * (double)p->tsc_hz / core->steal_tsc;

    return s < 1 ? s : 1;
}

struct steal steal_of(const struct profile *p)
{
    struct steal steal = {0};
    double sum = 0;

    for (size_t i = 0; i < p->core_count && p->tsc_hz != 0; i++) {
        const struct profile_core *core = &p->cores[i];

        if (!(core->steal_tsc > 0))
            continue;
        sum += stolen_share(p, core);
        if (steal.cores == 0 || stolen_share(p, core) > steal.most) {
            steal.most = stolen_share(p, core);
            steal.core = core->core;
        }
        steal.cores++;
    }
    if (steal.cores != 0)
        steal.mean = sum / (double)steal.cores;
    return steal;
}
