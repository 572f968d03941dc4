/* SPDX-License-Identifier: BSD-2-Clause */
/* Arming the long way, which looks at a timer that others may have changed. */
#include "timer.h"

void tprof_timer_arm(struct tprof_cpu *cpu, uint64_t deadline)
{
    struct tprof_agent *a = &tprof_agent;

    if (a->config.lending) {
        a->config.lending->arm(cpu, deadline);
        return;
    }
    if (cpu->woken) {
        cpu->woken = 0;
        cpu->recorder.counts.repaired++;
        tprof_lapic_claim(&a->lapic);
    }
    tprof_lapic_arm(&a->lapic, deadline);
}
