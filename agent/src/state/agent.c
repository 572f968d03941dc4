/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's state, its locks, and the core that watches for a host. */
#include "state/agent.h"

struct tprof_agent tprof_agent;
struct tprof_cpu *tprof_cpu[TPROF_CPUS_MAX];
struct tprof_cpu *tprof_present[TPROF_CPUS_MAX];
uint32_t tprof_cpus;
_Atomic uint64_t tprof_unknown_cpu;
struct tprof_refused tprof_refused;
_Atomic uint32_t tprof_pump_lock;

uint64_t tprof_lock(_Atomic uint32_t *lock)
{
    uint64_t flags = tprof_arch_irq_save();
    uint32_t self = tprof_arch_core_id() + 1; /* not 0, which means free */
    uint32_t owner = 0;

    /* acquire: pairs with the release in tprof_unlock() */
    while (!atomic_compare_exchange_strong_explicit(lock, &owner, self,
                                                    memory_order_acquire,
                                                    memory_order_relaxed) &&
           owner != self) {
        owner = 0;
        tprof_arch_relax();
    }
    return flags;
}

bool tprof_has_lock(const _Atomic uint32_t *lock)
{
    return atomic_load_explicit(lock, memory_order_relaxed) ==
           tprof_arch_core_id() + 1;
}

void tprof_unlock(_Atomic uint32_t *lock, uint64_t flags)
{
    atomic_store_explicit(lock, 0, memory_order_release);
    tprof_arch_irq_restore(flags);
}

void tprof_hand_watch_on(uint32_t from)
{
    struct tprof_agent *a = &tprof_agent;
    uint32_t next = from;

    if (atomic_load(&a->watching_core) != from)
        return;
    do
        next = next + 1 < tprof_cpus ? next + 1 : 0;
    while (next != from &&
           !(tprof_cpu[next] && atomic_load(&tprof_cpu[next]->started)));
    if (next == from && atomic_load(&tprof_cpu[from]->started))
        return;
    atomic_store(&a->watching_core, next == from ? tprof_cpus : next);
    /* Lets the next core look immediately, even if no look is due for long: the
     * device's interrupt is still aimed at core (from). */
    atomic_store(&a->pump_due, 0);
    if (next != from)
        tprof_arch_wake(tprof_cpu[next]->hardware_id);
}
