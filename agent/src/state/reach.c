/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtual addresses of a device's registers */
#include "state/reach.h"

#include "state/agent.h"

uintptr_t tprof_reach(uint64_t physical, uint64_t size)
{
    const struct tprof_config *c = &tprof_agent.config;

    return c->map ? (uintptr_t)c->map(c->context, physical, size)
                  : (uintptr_t)physical;
}
