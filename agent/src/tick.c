/* SPDX-License-Identifier: BSD-2-Clause */
/* The tick. Bounded; nothing in it can fail: what cannot be done is counted. */
#include "tick.h"

#include "pump.h"
#include "sample.h"
#include "timer.h"

struct tprof_agent tprof_agent;

/* A tick up to this part of a period before its deadline is on time. */
#define EARLY 64u
/* The deadline of a core that does not sample. */
#define NEVER ((uint64_t)1 << 62)
/* Looks a second when the pump has not said when. */
#define SOON  64u

/* Takes the orders over; in several interrupts, as the dictionary is large. */
TPROF_COLD void settle(struct tprof_cpu *cpu, uint32_t generation, uint64_t now)
{
    const struct tprof_orders *o = &tprof_agent.orders;
    /* Orders that change meanwhile make one more generation, and one more call
     * of this. acquire: pairs with the release in start(), control.c: where
     * this is so there are period and depth, if only the ones before */
    int sampling = atomic_load_explicit(&o->state, memory_order_acquire) ==
                   WIRE_STATE_SAMPLING;

    cpu->sampling = 0;
    cpu->generation = generation - 1; /* not yet */
    cpu->schedule.deadline = sampling ? now : NEVER;
    if (sampling && !tprof_stacks_forget(&cpu->recorder.stacks))
        return; /* goes on in the next interrupt: wanted at once */
    cpu->generation = generation;
    if (sampling) {
        uint64_t period = *(const volatile uint64_t *)&o->period;

        cpu->sampling = 1;
        cpu->guard = period / EARLY;
        cpu->countdown = 1;
        tprof_schedule_begin(&cpu->schedule, now, period);
        tprof_sample_begin(&cpu->recorder, now, period, (uint32_t)o->depth);
    }
    /* release: pairs with the acquire in control.c; our records are all in */
    atomic_store_explicit(&cpu->settled, generation, memory_order_release);
}

TPROF_HOT int has_new_orders(const struct tprof_cpu *cpu, uint32_t *generation)
{
    /* acquire: pairs with the release in give_orders(), control.c */
    *generation =
        atomic_load_explicit(&tprof_agent.generation, memory_order_acquire);
    return cpu->generation != *generation;
}

/* When a core that does not sample is wanted: one of them looks for the host.
 * 0: not at all. (lost): there may be something that nobody looked at. */
static uint64_t look_due(const struct tprof_cpu *cpu, uint64_t now,
                         uint32_t lost)
{
    struct tprof_agent *a = &tprof_agent;

    TPROF_BASE(a);
    uint64_t due = atomic_load_explicit(&a->pump_due, memory_order_relaxed);

    if ((due == TPROF_PUMP_NEVER && !lost) ||
        !(a->channel.flags & TPROF_CHANNEL_IRQ_SAFE) ||
        atomic_load_explicit(&a->looker, memory_order_relaxed) != cpu->index)
        return 0;
    uint64_t wait = due - now;

    /* also: none has pumped yet, a host has just left, the clock went back */
    if (lost || wait > a->second)
        wait = a->second / SOON;
    return now + wait;
}

TPROF_HOT void count_cost(struct tprof_cpu *cpu, uint64_t cost)
{
    struct tprof_stats *counts = &cpu->recorder.counts;

    counts->cost_tsc += cost;
    if (cost > counts->cost_max_tsc)
        counts->cost_max_tsc = cost;
}

/* Returns 1 if another core was at it. */
TPROF_COLD uint32_t pump(struct tprof_cpu *cpu)
{
    /* the interrupted code may hold a lock that the channel needs */
    if (!(tprof_agent.channel.flags & TPROF_CHANNEL_IRQ_SAFE))
        return 0;
    uint64_t start = tprof_rdtsc();
    uint32_t lost = (uint32_t)tprof_pump(1);

    cpu->put_off = 0;
    tprof_sample_look_ahead(&cpu->recorder);
    count_cost(cpu, tprof_rdtsc() - start);
    return lost;
}

TPROF_HOT int is_pump_due(uint64_t now)
{
    return now >=
           atomic_load_explicit(&tprof_agent.pump_due, memory_order_relaxed);
}

/* No deadline is that far away: the clock went back, begin anew. */
static int is_clock_back(const struct tprof_cpu *cpu, uint64_t now)
{
    int64_t left = (int64_t)(cpu->schedule.deadline - now);

    return cpu->sampling && left > 2 * (int64_t)cpu->schedule.period;
}

/* An interrupt that is no tick: new orders, a look, a drain, or not ours. */
TPROF_COLD void not_a_tick(struct tprof_cpu *cpu, uint64_t now)
{
    const struct tprof_agent *a = &tprof_agent;
    int drain = 0;
    uint32_t lost = 0;
    uint32_t generation;
    int settled = has_new_orders(cpu, &generation) || is_clock_back(cpu, now);

    /* an order that was on its way when the core left: its timer is the
     * kernel's again */
    if (!atomic_load_explicit(&cpu->started, memory_order_relaxed)) {
        tprof_lapic_eoi(&a->lapic);
        return;
    }
    if (settled) {
        settle(cpu, generation, now);
        /* the device's interrupt may have come with the order, as one, or as a
         * tick before it; its line would never rise again */
        lost = a->channel.flags & TPROF_CHANNEL_NOTICE;
    } else if (cpu->sampling) {
        drain = is_pump_due(now);
    } else {
        drain = atomic_load_explicit(&a->looker, memory_order_relaxed) ==
                cpu->index;
    }
    tprof_lapic_eoi(&a->lapic);
    if (drain)
        lost = pump(cpu); /* another core is at it, maybe past that */
    else
        cpu->recorder.counts.foreign += !settled;
    uint64_t deadline = cpu->schedule.deadline;

    if (has_new_orders(cpu, &generation)) /* came with this look, for us too */
        deadline = now;
    else if (!cpu->sampling)
        deadline = look_due(cpu, now, lost);
    tprof_timer_arm(cpu, deadline);
}

/* A sample that is not the usual case: late, or of a new stack, or the ring
 * wants attention. (weight) 0: the deadlines that it covers are not counted
 * yet. */
static void record(struct tprof_cpu *cpu, struct tprof_sample *s)
{
    struct tprof_stats *counts = &cpu->recorder.counts;
    int by_division = 0;

    if (s->weight == 0)
        s->weight =
            tprof_schedule_catch_up(&cpu->schedule, s->time, &by_division);
    counts->missed += s->weight - 1;
    counts->by_division += (uint64_t)by_division;
    if (s->late > tprof_agent.second)
        s->flags = WIRE_SAMPLE_JUMP;
    tprof_sample_take(&cpu->recorder, s);
    /* the ring calls for the pump: the next tick, whosoever */
    if (tprof_sample_look_ahead(&cpu->recorder))
        atomic_store_explicit(&tprof_agent.pump_due, 0, memory_order_relaxed);
}

TPROF_COLD void record_trap(struct tprof_cpu *cpu,
                            const struct tprof_trap *trap, uint64_t rbp,
                            uint64_t now, int64_t late, uint64_t weight)
{
    struct tprof_sample sample = {
        .rip = trap->rip,
        .rsp = trap->rsp,
        .rbp = rbp,
        .time = now,
        .late = late > 0 ? (uint64_t)late : 0, /* the timer may run fast */
        .weight = weight,
    };

    record(cpu, &sample);
}

void tprof_interrupt(struct tprof_cpu *cpu, const struct tprof_trap *trap,
                     uint64_t rbp)
{
    uint64_t now = tprof_rdtsc();
    uint64_t due = cpu->schedule.deadline;
    uint32_t generation;

    /* an early one: a timer that runs fast, or somebody else's interrupt */
    if (__builtin_expect(has_new_orders(cpu, &generation) ||
                             (int64_t)(now + cpu->guard - due) < 0,
                         0)) {
        not_a_tick(cpu, now);
        return;
    }
    cpu->recorder.counts.ticks++;

    uint64_t left = tprof_schedule_advance(&cpu->schedule, now);
    uintptr_t one_shot = tprof_agent.lapic.one_shot;

    while (__builtin_expect(left == 0, 0) ||
           !tprof_sample_quick(&cpu->recorder, &trap->rip, trap->rsp, rbp, now,
                               now - due)) {
        /* In another image, or on another stack? Then once more, but not a
         * second time: it is where it was. */
        if (tprof_unwind_locate(&cpu->recorder.span, trap->rip, trap->rsp) &&
            left != 0)
            continue;
        one_shot = 0;
        record_trap(cpu, trap, rbp, now, (int64_t)(now - due), left != 0);
        left = cpu->schedule.deadline - now;
        /* after a tick that was long already the pump gets one of its own; but
         * not for ever: on a busy host each of them is late, and so a long one
         */
        if (is_pump_due(now) && !cpu->put_off) {
            cpu->put_off = 1;
            left = 0;
        }
        break;
    }
    /* the lower half is enough: no tick takes 2^32 TSC ticks */
    uint32_t cost = (uint32_t)tprof_rdtsc() - (uint32_t)now;
    /* a deadline that is over or far away, or a timer that was changed */
    if (__builtin_expect(!one_shot || ((left - cost) | cpu->woken) >> 31, 0)) {
        tprof_timer_arm(cpu, now + left);
        tprof_lapic_eoi(&tprof_agent.lapic);
    } else {
        tprof_lapic_end_tick(&tprof_agent.lapic, one_shot, left - cost);
    }
    count_cost(cpu, cost);
    if (__builtin_expect(is_pump_due(now), 0) && left != 0)
        pump(cpu);
}

/* The kernel's ticks until the next that is ours: 1 to 2 x mean - 1. */
static uint32_t draw_countdown(struct tprof_cpu *cpu)
{
    uint64_t span = 2 * (uint64_t)tprof_agent.orders.every - 1;

    return 1 + (uint32_t)tprof_scale(span, tprof_random(&cpu->schedule.random));
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

/* What tprof_sample_quick() has declined. */
TPROF_COLD void record_regs(struct tprof_cpu *cpu, struct tprof_sample *s)
{
    tprof_unwind_locate(&cpu->recorder.span, s->rip, s->rsp);
    record(cpu, s);
}

/* A sample of the kernel's tick. (weight) 0: deadlines after it are over, too.
 */
static void take(struct tprof_cpu *cpu, const struct tprof_regs *regs,
                 uint64_t now, uint64_t late, uint64_t weight)
{
    struct tprof_sample sample = {.rip = regs->rip,
                                  .rsp = regs->rsp,
                                  .rbp = regs->rbp,
                                  .time = now,
                                  .late = late,
                                  .weight = weight};

    cpu->recorder.counts.ticks++;
    if (weight == 0 || !tprof_sample_quick(&cpu->recorder, &regs->rip,
                                           regs->rsp, regs->rbp, now, late))
        record_regs(cpu, &sample);
}

/* The kernel's ticks have a step of their own: ours is every so many of them.
 */
static void fixed_tick(struct tprof_cpu *cpu, const struct tprof_regs *regs,
                       uint64_t now)
{
    if (--cpu->countdown != 0)
        return;
    cpu->countdown = draw_countdown(cpu);
    take(cpu, regs, now, 0, 1);
}

/* It comes at our deadline, or before it for the kernel's own sake. */
static void shared_tick(struct tprof_cpu *cpu, const struct tprof_regs *regs,
                        uint64_t now)
{
    int64_t late = (int64_t)(now - cpu->schedule.deadline);

    if (late + (int64_t)cpu->guard < 0)
        return;
    take(cpu, regs, now, late > 0 ? (uint64_t)late : 0,
         tprof_schedule_advance(&cpu->schedule, now) != 0);
}

void tprof_kernel_tick(struct tprof_cpu *cpu, const struct tprof_regs *regs)
{
    uint64_t now = tprof_rdtsc();
    int shared = tprof_agent.config.timer == TPROF_TIMER_SHARED;
    uint32_t generation;
    int settled =
        has_new_orders(cpu, &generation) || (shared && is_clock_back(cpu, now));

    /* no orders for a core that has left: the kernel's ticks go on */
    if (atomic_load_explicit(&cpu->started, memory_order_relaxed) && settled)
        settle(cpu, generation, now);
    if (cpu->sampling) {
        (shared ? shared_tick : fixed_tick)(cpu, regs, now);
        count_cost(cpu, tprof_rdtsc() - now);
    }
    count_reentered(cpu);
    if (is_pump_due(now))
        pump(cpu);
}

uint32_t tprof_ask_cpu_index(void)
{
    return tprof_agent.config.cpu_index(tprof_agent.config.context);
}

static uint32_t this_index(void)
{
    uint32_t id;

    switch (tprof_agent.config.cpu_source) {
    case TPROF_CPU_GS:
        return tprof_gs32(tprof_gs_offset);
    case TPROF_CPU_TSC_AUX:
        return (uint32_t)tprof_rdmsr(MSR_TSC_AUX) - TPROF_TSC_AUX_FIRST;
    case TPROF_CPU_HOOK:
        return tprof_ask_cpu_index();
    default:
        id = tprof_lapic_id(&tprof_agent.lapic);
        return id <= UINT8_MAX ? tprof_apic_to_cpu[id] : id;
    }
}

struct tprof_cpu *tprof_this_cpu(void)
{
    uint32_t index = this_index();

    return index < tprof_cpus ? tprof_cpu[index] : NULL;
}
