/* SPDX-License-Identifier: BSD-2-Clause */
#include "nmi_gate.h"

#include "arch/arch.h"
#include "gate.h"
#include "state/agent.h"
#include "time/lapic.h"

#define VECTOR_NMI 2u

uint64_t tprof_nmi_old;
uint32_t tprof_nmi_source;

bool tprof_arch_nmi_suits(const struct tprof_config *config)
{
    return config->timer == TPROF_TIMER_APIC &&
           config->cpu_source != TPROF_CPU_HOOK && !config->lending;
}

int tprof_arch_nmi_join(void)
{
    const struct tprof_config *c = &tprof_agent.config;
    uint64_t before = tprof_nmi_old;

    tprof_nmi_source = c->cpus == 1 ? TPROF_NMI_SINGLE : c->cpu_source;
    int error = tprof_gate_share(VECTOR_NMI, tprof_nmi_entry, &tprof_nmi_old);

    if (before == 0 || tprof_nmi_old == before)
        return error;
    tprof_nmi_old = before;
    return TPROF_ERR_VECTOR_TAKEN;
}

void tprof_arch_nmi_send(uint32_t hardware_id)
{
    tprof_lapic_send_nmi(&tprof_lapic, hardware_id);
}
