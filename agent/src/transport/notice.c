/* SPDX-License-Identifier: BSD-2-Clause */
/* Aims a device's interrupt at the watching core. */
#include "transport/notice.h"

#include "state/agent.h"

void tprof_notice_init(struct tprof_notice_irq *n,
                       const struct tprof_virtio *dev,
                       const struct tprof_device *where)
{
    const struct tprof_config *c = &tprof_agent.config;

    n->possible = false;
    n->aimed_at = TPROF_CPUS_MAX; /* no core has joined yet */
    n->aimed = false;
    if (c->notice != TPROF_NOTICE_AUTO || c->timer != TPROF_TIMER_APIC)
        return; /* not wanted, or no vector is the agent's */
    int error = tprof_virtio_irq_init(&n->irq, dev, where);

    n->possible = (error == TPROF_OK || c->route_irq) &&
                  tprof_virtio_irq_bind(dev) == TPROF_OK;
}

bool tprof_notice_aim(struct tprof_notice_irq *n)
{
    const struct tprof_config *c = &tprof_agent.config;
    uint32_t core =
        atomic_load_explicit(&tprof_agent.watching_core, memory_order_relaxed);

    if (!n->possible || core >= tprof_cpus)
        return false;
    if (core == n->aimed_at)
        return n->aimed;
    uint32_t hardware_id = tprof_cpu[core]->hardware_id;

    n->aimed_at = core;
    n->aimed = (c->route_irq ? c->route_irq(c->context, c->vector, hardware_id)
                             : tprof_virtio_irq_route(&n->irq, c->vector,
                                                      hardware_id)) == 0;
    return n->aimed;
}

void tprof_notice_mask(struct tprof_notice_irq *n)
{
    if (n->aimed && !tprof_agent.config.route_irq)
        tprof_virtio_irq_mask(&n->irq);
    n->aimed = false;
}
