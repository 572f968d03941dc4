/* SPDX-License-Identifier: BSD-2-Clause */
/* Agents whose interrupt handler writes to the interrupted stack. */
#include "diagnose/diagnose.h"

#include "util/text.h"

bool gate_is_on_stack(const struct profile *p)
{
    for (size_t i = 0; i < p->core_count; i++) {
        if (p->cores[i].has_stats &&
            (p->cores[i].stats.flags & WIRE_STATS_ON_STACK) != 0)
            return true;
    }
    return false;
}

void gate_diagnose(struct remarks *r, size_t units, const char *names)
{
    if (units == 0)
        return;
    remarks_warn(r,
                 "Ticks may destroy values of the guest: the agent's interrupt "
                 "gate has no stack of its own, and code of %zu unit%s has a "
                 "red zone (%s). Compile ring 0 code with -mno-red-zone, or "
                 "give the gate a stack (agent/PORTING.md).",
                 units, text_plural(units), names);
}
