/* SPDX-License-Identifier: BSD-2-Clause */
/* Arms a timer that the kernel may have changed, or may also use. */
#include "time/timer.h"

#include "state/agent.h"

void tprof_arch_timer_arm(struct tprof_cpu *cpu, uint64_t deadline)
{
    const struct tprof_lending *lending = tprof_agent.config.lending;

    if (lending) {
        lending->arm(cpu, deadline);
        return;
    }
    uint64_t woken = atomic_load_explicit(&cpu->woken, memory_order_relaxed);

    if (woken != 0) {
        tprof_set_woken(cpu, false);
        if (tprof_lapic_is_used(&tprof_lapic)) {
            atomic_fetch_or_explicit(&cpu->facts, WIRE_STATS_TIMER_KEPT,
                                     memory_order_relaxed);
            return;
        }
    }
    if (woken & TPROF_WOKEN) {
        cpu->recorder.counts.repaired++;
        tprof_lapic_claim(&tprof_lapic);
    }
    tprof_lapic_arm(&tprof_lapic, deadline);
}

bool tprof_arch_is_tick(struct tprof_cpu *cpu,
                        const struct tprof_arch_trap *trap, uint64_t fp,
                        uint64_t now)
{
    const struct tprof_lending *lending = tprof_agent.config.lending;

    return lending && lending->is_tick(cpu, trap, fp, now);
}

void tprof_arch_timers_look(void)
{
    const struct tprof_lending *lending = tprof_agent.config.lending;

    if (lending)
        lending->look_around();
}
