/* SPDX-License-Identifier: BSD-2-Clause */
/* The tick. Bounded; nothing in it can fail: what cannot be done is counted. */
#include "tick.h"

#include "pump.h"
#include "sample.h"

struct tprof_agent tprof_agent;

#define LOOKS_A_SECOND     4u   /* with no host */
#define LOOKS_WITH_HOST    64u  /* waiting for its orders */
#define LOOKS_DRAINING     1024u

/* Takes the orders over. */
static __attribute__((noinline)) void settle(struct tprof_cpu *cpu,
                                             uint32_t generation, uint64_t now)
{
    /* orders that change meanwhile make one more generation, and one more
     * call of this */
    struct tprof_orders orders = tprof_agent.orders;

    cpu->generation = generation;
    cpu->sampling = orders.sampling;
    if (orders.sampling) {
        cpu->countdown = 1;
        tprof_schedule_begin(&cpu->schedule, now, orders.period);
        tprof_sample_begin(&cpu->recorder, now, orders.period, orders.depth);
    }
    /* release: pairs with the acquire in session.c; our records are all in */
    atomic_store_explicit(&cpu->settled, generation, memory_order_release);
}

static int has_new_orders(const struct tprof_cpu *cpu, uint32_t *generation)
{
    /* acquire: pairs with the release in give_orders(), session.c */
    *generation = atomic_load_explicit(&tprof_agent.generation,
                                       memory_order_acquire);
    return cpu->generation != *generation;
}

/* The timer of a core that does not sample: one of them looks for the host. */
static void arm_look(const struct tprof_cpu *cpu, uint64_t now)
{
    const struct tprof_agent *a = &tprof_agent;
    uint32_t rate = LOOKS_A_SECOND;

    if (atomic_load_explicit(&a->looker, memory_order_relaxed) != cpu->index ||
        !(a->channel.flags & TPROF_CHANNEL_IRQ_SAFE)) {
        tprof_lapic_disarm(&a->lapic);
        return;
    }
    switch (tprof_pump_mood()) {
    case TPROF_MOOD_DEAD:
        tprof_lapic_disarm(&a->lapic);
        return;
    case TPROF_MOOD_DETACHED:
        break;
    case TPROF_MOOD_ATTACHED:
        rate = LOOKS_WITH_HOST;
        break;
    case TPROF_MOOD_DRAINING:
        rate = LOOKS_DRAINING;
        break;
    }
    tprof_lapic_arm(&a->lapic, now + a->second / rate, now);
}

/* An interrupt that is no tick: new orders, a look, or nothing of ours. */
static __attribute__((noinline)) void not_a_tick(struct tprof_cpu *cpu,
                                                 uint64_t now)
{
    const struct tprof_agent *a = &tprof_agent;
    int look = 0;
    uint32_t generation;

    if (has_new_orders(cpu, &generation))
        settle(cpu, generation, now);
    else if (!cpu->sampling &&
             atomic_load_explicit(&a->looker, memory_order_relaxed) ==
                 cpu->index)
        look = 1;
    else
        cpu->recorder.counts.foreign++;
    tprof_lapic_eoi(&a->lapic);
    if (look && a->channel.flags & TPROF_CHANNEL_IRQ_SAFE) {
        tprof_pump();
        /* the host's orders may have come with this look, for us too */
        if (has_new_orders(cpu, &generation))
            settle(cpu, generation, now);
    }
    if (cpu->sampling)
        tprof_lapic_arm(&a->lapic, cpu->schedule.deadline, tprof_rdtsc());
    else
        arm_look(cpu, now);
}

static void record(struct tprof_cpu *cpu, const struct tprof_regs *regs,
                   uint64_t now, const struct tprof_due *due)
{
    struct tprof_counts *counts = &cpu->recorder.counts;
    struct tprof_sample sample = {
        .rip = regs->rip,
        .rsp = regs->rsp,
        .rbp = regs->rbp,
        .time = now,
        .late = due->late,
        .weight = due->weight,
    };

    counts->ticks++;
    if (__builtin_expect(due->weight > 1, 0)) {
        counts->missed += due->weight - 1;
        counts->by_division += (uint64_t)due->by_division;
        if (due->late > tprof_agent.second)
            sample.flags = WIRE_SAMPLE_JUMP;
    }
    tprof_sample_take(&cpu->recorder, &sample);
}

static void count_cost(struct tprof_cpu *cpu, uint64_t cost)
{
    struct tprof_counts *counts = &cpu->recorder.counts;

    counts->cost += cost;
    if (cost > counts->cost_max)
        counts->cost_max = cost;
}

/* Time for the pump? Asked at each tick, so it is two comparisons. */
static int wants_pump(struct tprof_cpu *cpu, uint64_t now)
{
    return tprof_ring_used(&cpu->recorder.ring) >= tprof_agent.watermark ||
           now >= atomic_load_explicit(&tprof_agent.pump_due,
                                       memory_order_relaxed);
}

static __attribute__((noinline)) void pump(struct tprof_cpu *cpu)
{
    uint64_t start = tprof_rdtsc();

    tprof_pump();
    count_cost(cpu, tprof_rdtsc() - start);
}

void tprof_interrupt(struct tprof_cpu *cpu, const struct tprof_trap *trap,
                     uint64_t rbp)
{
    const struct tprof_agent *a = &tprof_agent;
    uint64_t now = tprof_rdtsc();
    uint32_t generation;

    /* an early one: a timer that runs fast, or somebody else's interrupt */
    if (has_new_orders(cpu, &generation) || !cpu->sampling ||
        (int64_t)(now + cpu->schedule.period / 64 - cpu->schedule.deadline) <
            0) {
        not_a_tick(cpu, now);
        return;
    }
    struct tprof_due due = tprof_schedule_tick(&cpu->schedule, now);
    struct tprof_regs regs = {trap->rip, trap->rsp, rbp};

    record(cpu, &regs, now, &due);

    uint64_t end = tprof_rdtsc();

    tprof_lapic_arm(&a->lapic, cpu->schedule.deadline, end);
    tprof_lapic_eoi(&a->lapic);
    count_cost(cpu, end - now);
    if (__builtin_expect(wants_pump(cpu, now), 0))
        pump(cpu);
}

/* The kernel's ticks until the next that is ours: 1 to 2 x mean - 1. */
static uint32_t draw_countdown(struct tprof_cpu *cpu)
{
    uint64_t span = 2 * (uint64_t)tprof_agent.orders.every - 1;

    return 1 + (uint32_t)tprof_scale(span,
                                     tprof_random(&cpu->schedule.random));
}

/* Ticks that came while this core's stack was in use: they count as dropped.
 * Those only count themselves, so that no sum is written from two levels. */
static void count_reentered(struct tprof_cpu *cpu)
{
    uint32_t now = *(volatile uint32_t *)&cpu->reentered;

    while (cpu->reentered_known != now) {
        cpu->reentered_known++;
        cpu->recorder.counts.ticks++;
        tprof_sample_drop(&cpu->recorder, WIRE_COUNTER_REENTERED, 1);
    }
}

void tprof_kernel_tick(struct tprof_cpu *cpu, const struct tprof_regs *regs)
{
    uint64_t now = tprof_rdtsc();
    uint32_t generation;

    if (has_new_orders(cpu, &generation))
        settle(cpu, generation, now);
    if (cpu->sampling && --cpu->countdown == 0) {
        struct tprof_due due = {0, 1, 0};

        cpu->countdown = draw_countdown(cpu);
        record(cpu, regs, now, &due);
        count_cost(cpu, tprof_rdtsc() - now);
    }
    count_reentered(cpu);
    if (wants_pump(cpu, now))
        pump(cpu);
}

uint32_t tprof_ask_cpu_index(void)
{
    return tprof_agent.config.cpu_index(tprof_agent.config.context);
}

static uint32_t this_index(void)
{
    switch (tprof_agent.config.cpu_source) {
    case TPROF_CPU_GS:
        return tprof_gs32(tprof_gs_offset);
    case TPROF_CPU_TSC_AUX:
        return (uint32_t)tprof_rdmsr(MSR_TSC_AUX);
    case TPROF_CPU_HOOK:
        return tprof_ask_cpu_index();
    default:
        return tprof_apic_to_cpu[tprof_lapic_id(&tprof_agent.lapic) & 0xff];
    }
}

struct tprof_cpu *tprof_this_cpu(void)
{
    uint32_t index = this_index();

    return index < tprof_cpus ? tprof_cpu[index] : NULL;
}
