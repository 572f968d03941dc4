/* SPDX-License-Identifier: BSD-2-Clause */
/* The tick. Bounded; nothing in it can fail: what cannot be done is counted. */
#include "tick.h"

#include "pump.h"
#include "sample.h"

/* A tick up to this part of a period before its deadline is on time. */
#define EARLY 64u
/* The deadline of a core that does not sample. */
#define NEVER ((uint64_t)1 << 62)
/* Looks for a host in a second, while the pump has not said when. */
#define SOON  64u

/* --- Orders --------------------------------------------------------------- */

TPROF_HOT bool has_new_orders(const struct tprof_cpu *cpu, uint32_t *generation)
{
    /* acquire: pairs with the release in give_orders(), control.c */
    *generation =
        atomic_load_explicit(&tprof_agent.generation, memory_order_acquire);
    return cpu->generation != *generation;
}

static void set_sampling(struct tprof_cpu *cpu, uint32_t on)
{
    atomic_store_explicit(&cpu->sampling, on, memory_order_relaxed);
}

/*
 * Takes the orders over; in several interrupts, since the dictionary is large.
 * Orders that change meanwhile make one more generation, and one more call of
 * this function.
 */
TPROF_COLD void apply_orders(struct tprof_cpu *cpu, uint32_t generation,
                             uint64_t now)
{
    const struct tprof_orders *o = &tprof_agent.orders;
    /* acquire: pairs with the release in start_sampling(), control.c: there are
     * a period and a depth, if only those before the last START */
    bool sampling = atomic_load_explicit(&o->state, memory_order_acquire) ==
                    WIRE_STATE_SAMPLING;

    set_sampling(cpu, 0);
    cpu->generation = generation - 1; /* not yet */
    tprof_schedule_set(&cpu->schedule, sampling ? now : NEVER);
    if (sampling && !tprof_stacks_forget(&cpu->recorder.stacks))
        return; /* goes on in the next interrupt: wanted at once */
    cpu->generation = generation;
    if (sampling) {
        uint64_t period =
            atomic_load_explicit(&o->period, memory_order_relaxed);
        uint64_t depth = atomic_load_explicit(&o->depth, memory_order_relaxed);

        set_sampling(cpu, 1);
        cpu->guard = period / EARLY;
        cpu->countdown = 1;
        tprof_schedule_begin(&cpu->schedule, now, period);
        tprof_sample_begin(&cpu->recorder, now, period, (uint32_t)depth);
    }
    /* release: pairs with the acquire in have_all_cores_heard(), control.c;
     * this core's records are in its ring */
    atomic_store_explicit(&cpu->orders_seen, generation, memory_order_release);
}

/* No deadline is that far away: the clock went back, begin anew. */
static bool is_clock_back(const struct tprof_cpu *cpu, uint64_t now)
{
    int64_t left = (int64_t)(tprof_schedule_deadline(&cpu->schedule) - now);

    return tprof_is_sampling(cpu) && left > 2 * (int64_t)cpu->schedule.period;
}

/* --- The pump ------------------------------------------------------------- */

TPROF_HOT void count_cost(struct tprof_cpu *cpu, uint64_t cost)
{
    struct tprof_stats *counts = &cpu->recorder.counts;

    counts->cost_tsc += cost;
    if (cost > counts->cost_max_tsc)
        counts->cost_max_tsc = cost;
}

TPROF_HOT bool is_pump_due(uint64_t now)
{
    return now >=
           atomic_load_explicit(&tprof_agent.pump_due, memory_order_relaxed);
}

/* Returns whether another core was at the pump. */
TPROF_COLD bool run_pump(struct tprof_cpu *cpu)
{
    /* the interrupted code may hold a lock that the channel needs */
    if (!(tprof_agent.channel.flags & TPROF_CHANNEL_IRQ_SAFE))
        return false;
    uint64_t start = tprof_arch_now();
    bool was_taken = tprof_pump(1);

    cpu->pump_deferred = 0;
    tprof_sample_look_ahead(&cpu->recorder);
    count_cost(cpu, tprof_arch_now() - start);
    return was_taken;
}

/* --- An interrupt that is no tick ----------------------------------------- */

static bool is_watching(const struct tprof_cpu *cpu)
{
    return atomic_load_explicit(&tprof_agent.watching_core,
                                memory_order_relaxed) == cpu->index;
}

/*
 * The time at which (cpu), which does not sample, must wake to look for a host;
 * 0: never. Only the watching core looks. (unread): a host's bytes may be there
 * that nobody has read, so look soon.
 */
static uint64_t next_wakeup(const struct tprof_cpu *cpu, uint64_t now,
                            bool unread)
{
    const struct tprof_agent *a = &tprof_agent;
    uint64_t due = atomic_load_explicit(&a->pump_due, memory_order_relaxed);

    if ((due == TPROF_PUMP_NEVER && !unread) ||
        !(a->channel.flags & TPROF_CHANNEL_IRQ_SAFE) || !is_watching(cpu))
        return 0;
    uint64_t wait = due - now;

    /* also soon: the pump has not run yet, a host has just left, or the clock
     * went back */
    if (unread || wait > a->second)
        wait = a->second / SOON;
    return now + wait;
}

/* New orders, a look for a host, a drain; or an interrupt that is not ours. */
TPROF_COLD void handle_other(struct tprof_cpu *cpu, uint64_t now)
{
    const struct tprof_agent *a = &tprof_agent;
    uint32_t generation;
    bool has_orders = has_new_orders(cpu, &generation);
    bool begin = has_orders || is_clock_back(cpu, now);
    bool drain = false, unread = false;

    /* An order was on its way when this core left: the timer is the kernel's
     * again. */
    if (!atomic_load_explicit(&cpu->started, memory_order_relaxed)) {
        tprof_arch_end_interrupt();
        return;
    }
    if (begin) {
        apply_orders(cpu, generation, now);
        /* The device's interrupt may have been merged with this one. Its line
         * would stay high, and never rise again: look soon. */
        unread = (a->channel.flags & TPROF_CHANNEL_NOTICE) != 0;
    } else {
        drain = tprof_is_sampling(cpu) ? is_pump_due(now) : is_watching(cpu);
    }
    tprof_arch_end_interrupt();
    if (drain)
        unread =
            run_pump(cpu); /* another core at the pump may be past reading */
    else
        cpu->recorder.counts.foreign += !begin;
    uint64_t deadline = tprof_schedule_deadline(&cpu->schedule);

    if (has_new_orders(cpu, &generation)) /* this very pump has read some */
        deadline = now;
    else if (!tprof_is_sampling(cpu))
        deadline = next_wakeup(cpu, now, unread);
    tprof_arch_timer_arm(cpu, deadline);
}

/* --- A tick --------------------------------------------------------------- */

/* A sample that is late, or of a new stack, or the ring wants attention.
 * (weight) 0: the deadlines that the sample covers are not counted yet. */
static void record_any(struct tprof_cpu *cpu, struct tprof_sample *s)
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
    /* a full ring calls for the pump: the next tick of any core */
    if (tprof_sample_look_ahead(&cpu->recorder))
        atomic_store_explicit(&tprof_agent.pump_due, 0, memory_order_relaxed);
}

/* What the quick way has declined. (weight) as in record_any(). Returns the
 * clock ticks from (now) to the next interrupt. */
TPROF_COLD uint64_t record_slowly(struct tprof_cpu *cpu,
                                  const struct tprof_registers *at,
                                  uint64_t now, uint64_t late, uint64_t weight)
{
    struct tprof_sample sample = {.at = *at,
                                  .time = now,
                                  /* the timer may run fast */
                                  .late = (int64_t)late < 0 ? 0 : late,
                                  .weight = weight};

    record_any(cpu, &sample);
    /* After a tick that was long already the pump gets an interrupt of its own;
     * but once only: on a busy host every tick is late, and so long. */
    if (is_pump_due(now) && !cpu->pump_deferred) {
        cpu->pump_deferred = 1;
        return 0;
    }
    return tprof_schedule_deadline(&cpu->schedule) - now;
}

void tprof_interrupt(struct tprof_cpu *cpu, const struct tprof_arch_trap *trap,
                     uint64_t fp)
{
    struct tprof_recorder *r = &cpu->recorder;
    uint64_t now = tprof_arch_now();
    uint64_t due = tprof_schedule_deadline(&cpu->schedule);
    uint32_t generation;

    /* early: a timer that runs fast, or an interrupt of somebody else's */
    if (__builtin_expect(has_new_orders(cpu, &generation) ||
                             (int64_t)(now + cpu->guard - due) < 0,
                         0)) {
        handle_other(cpu, now);
        return;
    }
    r->counts.ticks++;

    uint64_t left = tprof_schedule_advance(&cpu->schedule, now);
    uintptr_t way = tprof_arch_short_way();
    const uint64_t *pc = tprof_arch_trap_pc(trap);
    uint64_t sp = tprof_arch_trap_sp(trap);
    bool is_quick;

    /* The quick way compares with the image and the stack of the last sample.
     * Where this one is in others, the quick way is tried once more: the second
     * call of tprof_unwind_locate() finds it where it was. */
    do
        is_quick =
            left != 0 && tprof_sample_quick(r, pc, sp, fp, now, now - due);
    while (__builtin_expect(!is_quick, 0) &&
           tprof_unwind_locate(&r->span, *pc, sp) && left != 0);
    if (__builtin_expect(!is_quick, 0)) {
        struct tprof_registers at = {*pc, sp, fp};

        left = record_slowly(cpu, &at, now, now - due, left != 0);
        way = 0;
    }
    /* the lower half is enough: no tick takes 2^32 clock ticks */
    uint32_t cost = (uint32_t)tprof_arch_now() - (uint32_t)now;
    uint64_t woken = atomic_load_explicit(&cpu->woken, memory_order_relaxed);

    /* a deadline that is over or far away, or a timer that was changed */
    if (__builtin_expect(!way || ((left - cost) | woken) >> 31, 0)) {
        tprof_arch_timer_arm(cpu, now + left);
        tprof_arch_end_interrupt();
    } else {
        tprof_arch_end_tick(way, left - cost);
    }
    count_cost(cpu, cost);
    if (__builtin_expect(is_pump_due(now), 0) && left != 0)
        run_pump(cpu);
}

/* --- The kernel's ticks --------------------------------------------------- */

/* The kernel's ticks until the next sample: 1 to 2 x mean - 1. */
static uint32_t draw_countdown(struct tprof_cpu *cpu)
{
    uint64_t mean = atomic_load_explicit(&tprof_agent.orders.ticks_per_sample,
                                         memory_order_relaxed);

    return 1 + (uint32_t)tprof_scale(2 * mean - 1,
                                     tprof_random(&cpu->schedule.random));
}

/* Ticks that came while this core's stack was in use: they count as dropped.
 * Such a tick only counts itself, so that no sum is written from two levels. */
static void count_reentered(struct tprof_cpu *cpu)
{
    uint32_t now = *(volatile uint32_t *)&cpu->reentered;

    while (cpu->reentered_known != now) {
        cpu->reentered_known++;
        cpu->recorder.counts.ticks++;
        tprof_sample_drop(&cpu->recorder, WIRE_COUNTER_REENTERED, 1);
    }
}

/* A sample of the kernel's tick. (weight) 0: deadlines after this one are over,
 * too. */
static void take_sample(struct tprof_cpu *cpu, const struct tprof_registers *r,
                        uint64_t now, uint64_t late, uint64_t weight)
{
    struct tprof_sample sample = {
        .at = *r, .time = now, .late = late, .weight = weight};

    cpu->recorder.counts.ticks++;
    if (weight == 0 ||
        !tprof_sample_quick(&cpu->recorder, &r->pc, r->sp, r->fp, now, late)) {
        tprof_unwind_locate(&cpu->recorder.span, r->pc, r->sp);
        record_any(cpu, &sample);
    }
}

/* The kernel's ticks come at a rate of their own: one of so many is ours. */
static void fixed_tick(struct tprof_cpu *cpu, const struct tprof_registers *r,
                       uint64_t now)
{
    if (--cpu->countdown != 0)
        return;
    cpu->countdown = draw_countdown(cpu);
    take_sample(cpu, r, now, 0, 1);
}

/* The tick comes at our deadline, or before it for the kernel's own sake. */
static void shared_tick(struct tprof_cpu *cpu, const struct tprof_registers *r,
                        uint64_t now)
{
    int64_t late = (int64_t)(now - tprof_schedule_deadline(&cpu->schedule));

    if (late + (int64_t)cpu->guard < 0)
        return;
    take_sample(cpu, r, now, late > 0 ? (uint64_t)late : 0,
                tprof_schedule_advance(&cpu->schedule, now) != 0);
}

void tprof_kernel_tick(struct tprof_cpu *cpu, const struct tprof_registers *r)
{
    uint64_t now = tprof_arch_now();
    bool shared = tprof_agent.config.timer == TPROF_TIMER_SHARED;
    uint32_t generation;
    bool begin =
        has_new_orders(cpu, &generation) || (shared && is_clock_back(cpu, now));

    /* no orders for a core that has left: the kernel's ticks go on */
    if (atomic_load_explicit(&cpu->started, memory_order_relaxed) && begin)
        apply_orders(cpu, generation, now);
    if (tprof_is_sampling(cpu)) {
        (shared ? shared_tick : fixed_tick)(cpu, r, now);
        count_cost(cpu, tprof_arch_now() - now);
    }
    count_reentered(cpu);
    if (is_pump_due(now))
        run_pump(cpu);
}
