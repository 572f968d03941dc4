/* SPDX-License-Identifier: BSD-2-Clause */
/* The number of a core, its timer, and the entry of its interrupt. */
#include "arch/arch.h"

#include "drive/tick.h"
#include "gic.h"
#include "state/agent.h"

#define PLACES 512u /* more than cores, so that one is always free */

uint32_t tprof_tpidr_offset;
bool tprof_is_tpidr_numbered;

/* A hash table from hardware ids to cores that have joined, or join. NULL: the
 * slot is free. */
static struct tprof_cpu *_Atomic by_id[PLACES];
_Static_assert(TPROF_CPUS_MAX < PLACES, "a slot is always free");

static bool is_timer_ours(void)
{
    return tprof_agent.config.timer == TPROF_TIMER_APIC;
}

uint32_t tprof_arch_core_id(void)
{
    return tprof_mpidr();
}

bool tprof_arch_core_numbered(uint32_t *index)
{
    const struct tprof_config *c = &tprof_agent.config;

    switch (c->cpu_source) {
    case TPROF_CPU_GS:
        *index = tprof_tpidr32(tprof_tpidr_offset);
        return true;
    case TPROF_CPU_HOOK:
        *index = c->cpu_index(c->context);
        (void)tprof_daif_mask(); /* the hook may have unmasked interrupts */
        return true;
    default:
        return false;
    }
}

/* Returns the slot of the core with (id), or the free one in its place. Cores
 * of a cluster are neighbours, and so are clusters. */
static struct tprof_cpu *_Atomic *find_id(uint32_t id)
{
    for (uint32_t at = id + (id >> 8) * 16;; at++) {
        struct tprof_cpu *_Atomic *slot = &by_id[at % PLACES];
        /* acquire: pairs with the release in tprof_arch_core_join() */
        const struct tprof_cpu *cpu =
            atomic_load_explicit(slot, memory_order_acquire);

        if (!cpu || cpu->hardware_id == id)
            return slot;
    }
}

uint32_t tprof_arch_core_index(void)
{
    uint32_t index;

    if (tprof_arch_core_numbered(&index))
        return index;
    const struct tprof_cpu *cpu =
        atomic_load_explicit(find_id(tprof_mpidr()), memory_order_relaxed);

    return cpu ? cpu->index : UINT32_MAX;
}

void tprof_arch_core_lay_out(struct tprof_cpu *cpu, uint8_t *spare)
{
    (void)cpu;
    (void)spare;
}

/* The timer of a core that has joined is the agent's. */
int tprof_arch_core_examine(uint32_t *hardware_id)
{
    const struct tprof_cpu *cpu = tprof_this_cpu();
    bool has_joined =
        cpu && atomic_load_explicit(&cpu->started, memory_order_relaxed);

    *hardware_id = tprof_mpidr();
    return is_timer_ours() && !tprof_agent.config.take_timer && !has_joined &&
                   tprof_timer_is_used()
               ? TPROF_ERR_TIMER_TAKEN
               : TPROF_OK;
}

int tprof_arch_core_join(struct tprof_cpu *cpu)
{
    atomic_store_explicit(&cpu->facts, 0, memory_order_relaxed);
    if (is_timer_ours()) {
        tprof_timer_silence();
        int error = tprof_gic_enable(&cpu->arch, tprof_timer_kind.intid);

        if (error != TPROF_OK)
            return error;
    }
    /* release: pairs with the acquire in find_id(), guards the id */
    atomic_store_explicit(find_id(cpu->hardware_id), cpu, memory_order_release);
    return TPROF_OK;
}

void tprof_arch_core_leave(struct tprof_cpu *cpu)
{
    (void)cpu;
    if (is_timer_ours()) {
        tprof_timer_silence();
        tprof_gic_disable(tprof_timer_kind.intid);
    }
}

void tprof_arch_wake(uint32_t hardware_id)
{
    const struct tprof_cpu *cpu =
        atomic_load_explicit(find_id(hardware_id), memory_order_relaxed);

    if (is_timer_ours() && cpu)
        tprof_gic_send(hardware_id, cpu->arch.gic_target);
}

void tprof_arch_timer_arm(struct tprof_cpu *cpu, uint64_t deadline)
{
    uint64_t woken = atomic_load_explicit(&cpu->woken, memory_order_relaxed);

    if (woken != 0)
        tprof_set_woken(cpu, false);
    if (woken & TPROF_WOKEN) {
        cpu->recorder.counts.repaired++;
        (void)tprof_gic_enable(&cpu->arch, tprof_timer_kind.intid);
    }
    tprof_timer_set(deadline);
}

bool tprof_arch_is_tick(struct tprof_cpu *cpu,
                        const struct tprof_arch_trap *trap, uint64_t fp,
                        uint64_t now)
{
    (void)cpu;
    (void)trap;
    (void)fp;
    (void)now;
    return false;
}

void tprof_arch_timers_look(void)
{
}

/* --- The entry ------------------------------------------------------------ */

int tprof_irq(uint32_t intid, const struct tprof_interrupted *frame)
{
    bool is_timer = intid == tprof_timer_kind.intid;

    if (!tprof_agent.ready || !is_timer_ours() ||
        (!is_timer && intid != tprof_gic.sgi))
        return 0;
    struct tprof_cpu *cpu = tprof_this_cpu();

    if (!cpu) {
        if (is_timer)
            tprof_timer_silence(); /* the line stays up otherwise */
        atomic_fetch_add_explicit(&tprof_unknown_cpu, 1, memory_order_relaxed);
    } else if (cpu->inside) {
        tprof_interrupt_inside(cpu);
    } else {
        cpu->inside = 1;
        cpu->recorder.span.link = tprof_arch_return_address(frame->lr);
        tprof_isr_on_stack(cpu, (const void *)frame, frame->fp);
        cpu->inside = 0;
    }
    return 1;
}
