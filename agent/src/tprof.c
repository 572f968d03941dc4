/* SPDX-License-Identifier: BSD-2-Clause */
/* The public calls but tprof_init(): cores join and leave, the kernel's own
 * ticks and polls come in. */
#include "tprof/tprof.h"

#include "agent.h"
#include "gate.h"
#include "mem.h"
#include "probe.h"
#include "pump.h"
#include "tick.h"
#include "timer.h"

#define FLUSH_TRIES 1000u /* of a busy device, for each frame */
#define LOOKS       4u    /* a second, of a core that does not sample */

static void (*entry(const struct tprof_config *c))(void)
{
    if (c->cpus == 1)
        return tprof_isr_single;
    switch (c->cpu_source) {
    case TPROF_CPU_GS:
        return tprof_isr_gs;
    case TPROF_CPU_TSC_AUX:
        return tprof_isr_tsc_aux;
    case TPROF_CPU_HOOK:
        return tprof_isr_hook;
    default:
        return tprof_isr_apic;
    }
}

/* The number of the calling core, which has (apic_id). */
static uint32_t number_of(const struct tprof_agent *a, uint32_t apic_id)
{
    uint32_t index = 0;

    if (a->config.cpu_source == TPROF_CPU_GS)
        return tprof_gs32(tprof_gs_offset);
    if (a->config.cpu_source == TPROF_CPU_HOOK)
        return tprof_ask_cpu_index();
    /* in the order of coming, and the same one when it comes again */
    while (index < a->config.cpus && tprof_cpu[index] &&
           tprof_cpu[index]->apic_id != apic_id)
        index++;
    return index;
}

static int install(struct tprof_agent *a)
{
    const struct tprof_config *c = &a->config;
    void (*function)(void) = entry(c);

    if (c->install_vector)
        return c->install_vector(c->context, c->vector, function);
    return tprof_gate_install(c->vector, function);
}

/* The core's way into the tables that interrupts read. */
static void enter(struct tprof_agent *a, struct tprof_cpu *cpu)
{
    uint32_t none = a->config.cpus;
    uint32_t index = cpu->index;

    if (a->config.cpu_source == TPROF_CPU_TSC_AUX) {
        cpu->saved_tsc_aux = tprof_rdmsr(MSR_TSC_AUX);
        tprof_wrmsr(MSR_TSC_AUX, TPROF_TSC_AUX_FIRST + index);
    }
    tprof_apic_to_cpu[cpu->apic_id & 0xff] = (uint8_t)index;
    tprof_cpu[index] = cpu;
    atomic_store_explicit(&cpu->started, 1, memory_order_release);
    /* the first one looks for the host */
    atomic_compare_exchange_strong(&a->looker, &none, index);
}

/* No interrupt that is still on its way may be taken for a tick. */
static void rest(struct tprof_cpu *cpu)
{
    cpu->sampling = 0;
    cpu->schedule.deadline = (uint64_t)1 << 62;
}

static int start_cpu(struct tprof_agent *a)
{
    int timer = a->config.timer == TPROF_TIMER_APIC;
    int error;

    tprof_probe_begin();
    if (timer &&
        (error = tprof_lapic_check(&a->lapic, a->config.lapic)) != TPROF_OK)
        return error;
    uint32_t apic_id = tprof_lapic_id(&a->lapic);
    uint32_t index = number_of(a, apic_id);

    if (index >= a->config.cpus || apic_id > UINT8_MAX)
        return TPROF_ERR_CPU;
    struct tprof_cpu *cpu = a->core[index];

    if (atomic_load_explicit(&cpu->started, memory_order_relaxed))
        return TPROF_ERR_STATE;
    if (timer && (error = install(a)) != TPROF_OK)
        return error;
    if (timer)
        tprof_lapic_claim(&a->lapic);
    cpu->apic_id = apic_id;
    /* follows no orders yet: its first tick takes them over */
    cpu->generation = atomic_load(&a->generation) - 1;
    rest(cpu);
    enter(a, cpu);
    if (a->config.hypervisor)
        a->config.hypervisor->start_cpu(&a->config, cpu->page);
    if (timer)
        tprof_timer_arm(cpu, 1);
    return TPROF_OK;
}

/* Cores may come and go at the same time: one after the other. */
static uint64_t lock(struct tprof_agent *a)
{
    uint64_t flags = tprof_irq_save();

    while (atomic_exchange_explicit(&a->joining, 1, memory_order_acquire))
        tprof_relax();
    return flags;
}

static void unlock(struct tprof_agent *a, uint64_t flags)
{
    atomic_store_explicit(&a->joining, 0, memory_order_release);
    tprof_irq_restore(flags);
}

int tprof_start_cpu(void)
{
    struct tprof_agent *a = tprof_the_agent();

    if (!a->ready)
        return TPROF_ERR_NOT_INIT;
    uint64_t flags = lock(a);
    int error = start_cpu(a);

    unlock(a, flags);
    return error;
}

void tprof_hand_look_on(uint32_t from)
{
    struct tprof_agent *a = &tprof_agent;
    uint32_t next = 0;

    if (atomic_load(&a->looker) != from)
        return;
    while (next < tprof_cpus && (next == from || !tprof_cpu[next] ||
                                 !atomic_load(&tprof_cpu[next]->started)))
        next++;
    if (next == tprof_cpus && atomic_load(&tprof_cpu[from]->started))
        return;
    atomic_store(&a->looker, next);
    /* who looks next begins at once, be it much later: an interrupt that tells
     * when to look is still aimed here */
    atomic_store(&a->pump_due, 0);
    if (next < tprof_cpus && a->config.timer == TPROF_TIMER_APIC)
        tprof_lapic_send(&a->lapic, tprof_cpu[next]->apic_id);
}

int tprof_stop_cpu(void)
{
    struct tprof_agent *a = tprof_the_agent();
    int error = TPROF_ERR_STATE;

    if (!a->ready)
        return TPROF_ERR_NOT_INIT;
    uint64_t flags = lock(a);
    struct tprof_cpu *cpu = tprof_this_cpu();

    if (cpu && atomic_load(&cpu->started)) {
        if (a->config.timer == TPROF_TIMER_APIC)
            tprof_lapic_release(&a->lapic);
        if (a->config.cpu_source == TPROF_CPU_TSC_AUX)
            tprof_wrmsr(MSR_TSC_AUX, cpu->saved_tsc_aux);
        if (a->config.hypervisor)
            a->config.hypervisor->stop_cpu(&a->config, cpu->page);
        rest(cpu);
        cpu->lent.state = 0;
        atomic_store_explicit(&cpu->started, 0, memory_order_release);
        tprof_hand_look_on(cpu->index);
        error = TPROF_OK;
    }
    unlock(a, flags);
    return error;
}

static TPROF_ASM_ABI void poll(struct tprof_cpu *cpu,
                               const struct tprof_regs *regs)
{
    (void)cpu;
    (void)regs;
    tprof_pump(0);
    if (tprof_agent.config.lending) /* this core may be all there is */
        tprof_agent.config.lending->look_around();
}

/* One pump with interrupts off, on the core's own stack where it has one. */
static void pump_once(void)
{
    uint64_t flags = tprof_irq_save();
    struct tprof_cpu *cpu = tprof_this_cpu();

    if (!cpu) {
        tprof_pump(0);
    } else if (!cpu->inside) {
        cpu->inside = 1;
        tprof_on_stack(cpu, NULL, poll);
        cpu->inside = 0;
    }
    tprof_irq_restore(flags);
}

void tprof_poll(void)
{
    if (tprof_agent.ready)
        pump_once();
}

void tprof_tick(const struct tprof_regs *regs)
{
    if (!tprof_agent.ready || tprof_agent.config.timer == TPROF_TIMER_APIC)
        return;
    uint64_t flags = tprof_irq_save();
    struct tprof_cpu *cpu = tprof_this_cpu();

    if (cpu && cpu->inside) {
        cpu->reentered++;
    } else if (cpu) {
        cpu->inside = 1;
        tprof_on_stack(cpu, regs, tprof_kernel_tick);
        cpu->inside = 0;
    } else {
        tprof_troubles.unknown_cpu++;
    }
    tprof_irq_restore(flags);
}

uint64_t tprof_deadline(void)
{
    struct tprof_agent *a = &tprof_agent;
    const struct tprof_cpu *cpu = a->ready ? tprof_this_cpu() : NULL;

    if (!cpu || !atomic_load(&cpu->started))
        return UINT64_MAX;
    /* orders: taking them over takes some interrupts */
    if (cpu->generation != atomic_load(&a->generation))
        return tprof_rdtsc() + 1;
    if (cpu->sampling)
        return cpu->schedule.deadline;
    uint64_t latest = tprof_rdtsc() + a->second / LOOKS;
    uint64_t due = atomic_load_explicit(&a->pump_due, memory_order_relaxed);

    /* the pump's turn is past for long where only tprof_poll() may pump */
    return due < latest && a->channel.flags & TPROF_CHANNEL_IRQ_SAFE ? due
                                                                     : latest;
}

int tprof_flush(uint32_t frames)
{
    struct tprof_agent *a = tprof_the_agent();

    if (!a->ready)
        return 0;
    for (uint64_t i = 0; i < (uint64_t)frames * FLUSH_TRIES; i++) {
        uint64_t flags = tprof_irq_save();
        int done = tprof_pump_done();

        tprof_irq_restore(flags);
        if (done)
            return 0;
        atomic_store_explicit(&a->pump_due, 0, memory_order_relaxed);
        pump_once();
    }
    return 1;
}

int tprof_get_stats(uint32_t core, struct tprof_stats *stats)
{
    if (core >= tprof_cpus || !tprof_cpu[core])
        return TPROF_ERR_CPU;
    *stats = *tprof_counts(tprof_cpu[core]);
    stats->apic_id = tprof_cpu[core]->apic_id;
    stats->started = tprof_cpu[core]->started;
    return TPROF_OK;
}

uint32_t tprof_version(void)
{
    return TPROF_VERSION;
}
