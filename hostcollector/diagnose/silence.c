/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the time for which a core had no ticks. */
#include "diagnose/silence.h"

#include <math.h>

double silence_end(const struct profile *p)
{
    size_t longest = 0;

    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].second_count > longest)
            longest = p->cores[i].second_count;
    return fmin(p->duration_s, (double)longest);
}

double silence_of(const struct profile_core *core, double end)
{
    size_t last = core->second_count;

    while (last > 0 && core->seconds[last - 1].samples == 0 &&
           core->seconds[last - 1].lost == 0)
        last--;
    return fmax(end - (double)last, 0);
}
