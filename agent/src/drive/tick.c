/* SPDX-License-Identifier: BSD-2-Clause */
/* The tick. It is bounded and cannot fail: every failure is counted. */
#include "drive/tick.h"

#include "drive/pump.h"
#include "nmi/nmi.h"
#include "sample/sample.h"

/* The deadline of a core that does not sample */
#define NEVER       ((uint64_t)1 << 62)
/* Looks for a host in a second, while (pump_due) has no time for them */
#define SOON        64u
/* Clock ticks, and a mask. A longer time is not the time of entry and exit. */
#define AROUND_MOST 0xffffffu

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

/* TPROF_TIMER_KERNEL: kernel ticks to the next sample, at most. */
static uint64_t longest_countdown(void)
{
    return 2 * atomic_load_explicit(&tprof_agent.orders.ticks_per_sample,
                                    memory_order_relaxed) -
           1;
}

/* Returns the kernel ticks until the next sample: random, from 1 to 2 x mean -
 * 1. */
static uint32_t draw_countdown(struct tprof_cpu *cpu)
{
    return 1 + (uint32_t)tprof_scale(longest_countdown(),
                                     tprof_random(&cpu->schedule.random));
}

/* Makes (cpu) begin to sample in (session). Earlier losses that no record
 * mentions are not reported to this host. */
static void begin_session(struct tprof_cpu *cpu, uint32_t session)
{
    struct tprof_recorder *r = &cpu->recorder;
    struct tprof_beginning *b = &cpu->reader.beginning;

    tprof_arch_zero(r->lost, sizeof r->lost);
    tprof_sample_place(r, &b->at);
    r->anew = b->at;
    tprof_sample_know(r);
    /* release: pairs with the acquire in tprof_has_begun(), encode.h */
    atomic_store_explicit(&b->session, session, memory_order_release);
}

/*
 * Takes the orders over. This may need several interrupts, because the
 * dictionary is large. If orders change meanwhile there is another generation,
 * and this function is called again. Returns whether all orders are taken over.
 *
 * Each next interrupt comes immediately. So the time from the end of one to
 * (now) is what every tick takes outside tprof_interrupt(), exits of a virtual
 * machine included. The shortest counts: then the host was not away.
 */
TPROF_COLD bool apply_orders(struct tprof_cpu *cpu, uint32_t generation,
                             uint64_t now)
{
    uint32_t between = (uint32_t)now - cpu->ended;

    if (!tprof_nmi_settle(cpu))
        return false;
    if (cpu->ended != 0 && between < ((cpu->around - 1) & AROUND_MOST))
        cpu->around = between;

    const struct tprof_orders *o = &tprof_agent.orders;
    /* acquire: pairs with the release in start_sampling(), control.c. Period
     * and depth are those of the last START, or of an earlier one. */
    bool sampling = atomic_load_explicit(&o->state, memory_order_acquire) ==
                    WIRE_STATE_SAMPLING;

    set_sampling(cpu, 0);
    cpu->generation = generation - 1; /* the orders are not taken over yet */
    tprof_schedule_set(&cpu->schedule, sampling ? now : NEVER);
    if (sampling && !tprof_stacks_forget(&cpu->recorder.stacks)) {
        cpu->ended = (uint32_t)tprof_arch_now();
        return false; /* the next interrupt, which comes immediately, goes on */
    }
    cpu->generation = generation;
    if (sampling) {
        uint64_t period =
            atomic_load_explicit(&o->period, memory_order_relaxed);
        uint64_t depth = atomic_load_explicit(&o->depth, memory_order_relaxed);
        uint32_t session =
            atomic_load_explicit(&tprof_agent.session, memory_order_relaxed);

        if (!tprof_has_begun(&cpu->reader, session))
            begin_session(cpu, session);
        set_sampling(cpu, 1);
        cpu->guard = period / TPROF_EARLY;
        tprof_schedule_begin(&cpu->schedule, now, period);
        cpu->recorder.images =
            atomic_load_explicit(&tprof_agent.images, memory_order_relaxed);
        tprof_sample_begin(&cpu->recorder, now, period, (uint32_t)depth);
    }
    /* release: pairs with the acquire in tprof_follows(), agent.h */
    atomic_store_explicit(&cpu->orders_seen, generation, memory_order_release);
    return true;
}

/* Is the deadline of (cpu), which samples, further away than it can be? If so,
 * the clock went back. */
static bool is_clock_back(const struct tprof_cpu *cpu, uint64_t now)
{
    int64_t left = (int64_t)(tprof_schedule_deadline(&cpu->schedule) - now);

    return left > 2 * (int64_t)cpu->schedule.period;
}

/* --- The pump ------------------------------------------------------------- */

/* The pump never sets a time that is more than a second away. If the time is
 * further away, the clock has gone back, and the pump is due now. */
static void doubt_pump_due(uint64_t now)
{
    struct tprof_agent *a = &tprof_agent;
    uint64_t due = atomic_load_explicit(&a->pump_due, memory_order_relaxed);

    if (due != TPROF_PUMP_NEVER && due > now && due - now > a->second)
        atomic_store_explicit(&a->pump_due, 0, memory_order_relaxed);
}

/* Moves to the first deadline after (time). Returns the number of deadlines
 * that the tick covers. */
static uint64_t cover(struct tprof_cpu *cpu, uint64_t time)
{
    struct tprof_stats *counts = &cpu->recorder.counts;
    int by_division = 0;
    uint64_t covered =
        tprof_schedule_catch_up(&cpu->schedule, time, &by_division);

    counts->missed += covered - 1;
    counts->by_division += (uint64_t)by_division;
    return covered;
}

/* Counts the interrupts that came while this core's stack was in use: one
 * dropped tick, which covers all deadlines that have passed. With the kernel's
 * ticks at a fixed rate nothing is lost: the next tick becomes the sample that
 * is due. */
TPROF_COLD void count_reentered(struct tprof_cpu *cpu, uint32_t times)
{
    uint64_t now = tprof_arch_now();

    if (tprof_agent.config.timer == TPROF_TIMER_KERNEL) {
        cpu->countdown = cpu->countdown > times ? cpu->countdown - times : 1;
    } else if (tprof_is_sampling(cpu) &&
               (int64_t)(now - tprof_schedule_deadline(&cpu->schedule)) >= 0) {
        uint64_t covered = cover(cpu, now);

        cpu->recorder.counts.ticks++;
        tprof_sample_drop(&cpu->recorder, WIRE_COUNTER_REENTERED, covered);
    }
}

bool tprof_tick_pump(struct tprof_cpu *cpu, int at_once)
{
    bool was_taken = tprof_pump(tprof_lock_owner(cpu), at_once);

    (void)tprof_arch_irq_save(); /* a hook may have switched interrupts on */
    uint32_t times = cpu->reentered;

    cpu->reentered = 0;
    if (__builtin_expect(times > 0, 0)) {
        count_reentered(cpu, times);
        /* one of these interrupts may have been for new orders, and the kernel
         * may be using the timer just now */
        if (!tprof_follows(cpu))
            tprof_arch_wake(cpu->hardware_id);
        if (tprof_agent.config.timer == TPROF_TIMER_APIC)
            tprof_arch_timer_arm(cpu,
                                 tprof_is_sampling(cpu)
                                     ? tprof_schedule_deadline(&cpu->schedule)
                                     : tprof_arch_now());
    }
    return was_taken;
}

void tprof_interrupt_inside(struct tprof_cpu *cpu)
{
    cpu->reentered++;
    tprof_arch_end_interrupt();
    /* This may have been the timer's interrupt, for which a core may wait. If
     * the hook takes long, there will be more. */
    if (atomic_load_explicit(&cpu->started, memory_order_relaxed))
        tprof_arch_timer_arm(cpu, tprof_arch_now() + tprof_agent.second / SOON);
}

/* Returns whether another core was at the pump. */
TPROF_COLD bool run_pump(struct tprof_cpu *cpu)
{
    /* without this flag the interrupted code may hold a lock that the channel
     * needs */
    if (!(tprof_agent.channel.flags & TPROF_CHANNEL_IRQ_SAFE))
        return false;
    uint64_t start = tprof_arch_now();
    bool was_taken = tprof_tick_pump(cpu, 1);

    cpu->pump_deferred = 0;
    if (tprof_is_sampling(cpu))
        tprof_sample_look_ahead(&cpu->recorder);
    tprof_count_cost(cpu, tprof_arch_now() - start);
    return was_taken;
}

/* --- An interrupt that is no tick ----------------------------------------- */

/* Does (cpu), which does not sample, look for a host? The watching core looks.
 * Until the watching core has taken the orders over, every core looks, because
 * the watching core may be gone. */
TPROF_HOT bool is_looking(const struct tprof_cpu *cpu)
{
    return atomic_load_explicit(&tprof_agent.watching_core,
                                memory_order_relaxed) == cpu->index ||
           !tprof_is_watch_kept();
}

/*
 * Returns the time at which (cpu), which does not sample, must wake to look for
 * a host; 0 for never. (unread): there may be bytes of a host that no core has
 * read, so the core looks soon.
 */
static uint64_t next_wakeup(const struct tprof_cpu *cpu, uint64_t now,
                            bool unread)
{
    const struct tprof_agent *a = &tprof_agent;
    uint64_t due = atomic_load_explicit(&a->pump_due, memory_order_relaxed);

    if ((due == TPROF_PUMP_NEVER && !unread) ||
        !(a->channel.flags & TPROF_CHANNEL_IRQ_SAFE) || !is_looking(cpu))
        return 0;
    uint64_t wait = due - now;

    /* soon, too, if the pump has not run yet, a host has just left, or the
     * clock went back */
    if (unread || wait > a->second)
        wait = a->second / SOON;
    return now + wait;
}

/* Handles an interrupt that is no tick: for orders, a host, the pump, or none
 * of these. */
TPROF_COLD void handle_other(struct tprof_cpu *cpu, uint64_t now)
{
    const struct tprof_agent *a = &tprof_agent;
    uint32_t generation;
    bool is_sampling = tprof_is_sampling(cpu);
    bool has_orders = has_new_orders(cpu, &generation);
    bool begin = has_orders || (is_sampling && is_clock_back(cpu, now));
    bool drain = false, unread = false;

    /* The interrupt was on its way when this core left: the timer is the
     * kernel's again. */
    if (!atomic_load_explicit(&cpu->started, memory_order_relaxed)) {
        tprof_arch_end_interrupt();
        return;
    }
    if (begin || is_sampling)
        doubt_pump_due(now); /* next_wakeup() arms it for a core that looks */
    if (begin) {
        bool is_done = apply_orders(cpu, generation, now);
        uintptr_t way = tprof_arch_short_way();

        if (!is_done && way &&
            !atomic_load_explicit(&cpu->woken, memory_order_relaxed)) {
            tprof_arch_end_tick(way, 0);
            return;
        }
        /* Looks soon: the device's interrupt may have been merged with this
         * interrupt. The device's line then stays high, and has no further
         * edge, until a core looks. */
        unread = (a->channel.flags & TPROF_CHANNEL_NOTICE) != 0;
    } else {
        drain = is_sampling ? tprof_is_pump_due(now) : is_looking(cpu);
    }
    cpu->recorder.counts.foreign += !(begin || drain || cpu->looks);
    tprof_arch_end_interrupt();
    if (drain)
        unread =
            run_pump(cpu); /* another core in the pump may have read before */
    uint64_t deadline = tprof_schedule_deadline(&cpu->schedule);

    cpu->looks = 0;
    if (has_new_orders(cpu, &generation)) { /* run_pump() may have read some */
        deadline = now;
    } else if (!tprof_is_sampling(cpu)) {
        deadline = next_wakeup(cpu, now, unread);
        cpu->looks = deadline != 0;
    }
    tprof_doubt_timer(cpu);
    tprof_arch_timer_arm(cpu, deadline);
}

/* --- A tick --------------------------------------------------------------- */

/* After a sample: if the ring has reached its watermark, makes the next tick of
 * any core pump, unless no host is there. */
static void look_ahead(struct tprof_cpu *cpu)
{
    if (!tprof_sample_look_ahead(&cpu->recorder))
        return;
    if (tprof_pump_forgo(cpu, tprof_sample_is_half(&cpu->recorder)))
        (void)tprof_sample_look_ahead(&cpu->recorder); /* there is room now */
    else
        atomic_store_explicit(&tprof_agent.pump_due, 0, memory_order_relaxed);
}

/* Writes any sample: a late one, one with a new stack, or one that finds the
 * ring full. (s->weight) 0: the deadlines that the sample covers are not
 * counted yet. */
static void record_any(struct tprof_cpu *cpu, struct tprof_sample *s)
{
    if (s->weight == 0)
        s->weight = cover(cpu, s->time);
    if (s->late > tprof_agent.second)
        s->flags = WIRE_SAMPLE_JUMP;
    if (!tprof_nmi_kick(cpu, s->weight))
        tprof_sample_take(&cpu->recorder, s);
    look_ahead(cpu);
}

void tprof_tick_unseen(struct tprof_cpu *cpu, const struct tprof_registers *at,
                       uint64_t until, enum wire_end end)
{
    struct tprof_recorder *r = &cpu->recorder;
    struct tprof_sample sample = {.at = *at, .time = until, .unseen = end};

    if ((int64_t)(until - tprof_schedule_deadline(&cpu->schedule)) < 0)
        return;
    uint64_t start = tprof_arch_now();

    sample.weight = cover(cpu, until);
    r->counts.ticks++;
    tprof_unwind_locate(&r->span, at->pc, at->sp);
    tprof_sample_take(r, &sample);
    look_ahead(cpu);
    tprof_count_cost(cpu, tprof_arch_now() - start);
}

/* Writes a sample that the quick way has declined. (weight): as in
 * record_any(). Returns the clock ticks from (now) to the next interrupt. */
TPROF_COLD uint64_t record_slowly(struct tprof_cpu *cpu,
                                  const struct tprof_registers *at,
                                  uint64_t now, uint64_t late, uint64_t weight)
{
    struct tprof_sample sample = {
        .at = *at, .time = now, .late = late, .weight = weight};

    record_any(cpu, &sample);
    tprof_doubt_timer(cpu); /* this interrupt may be late */
    /* This tick is long already, so the pump gets an interrupt of its own. Only
     * once, because on a busy host every tick may be late, and so come here. */
    if (tprof_is_pump_due(now) && !cpu->pump_deferred) {
        cpu->pump_deferred = 1;
        return 0;
    }
    return tprof_schedule_deadline(&cpu->schedule) - now;
}

/* Calls itself at most once: tprof_arch_is_tick() sets a guard that lets the
 * second call pass. NOLINTNEXTLINE(misc-no-recursion) */
void tprof_interrupt(struct tprof_cpu *cpu, const struct tprof_arch_trap *trap,
                     uint64_t fp)
{
    struct tprof_recorder *r = &cpu->recorder;
    uint64_t now = tprof_arch_now();
    uint64_t due = tprof_schedule_deadline(&cpu->schedule);
    uint64_t late = now - due;
    uint32_t generation;

    /* for orders; or too early: the timer is fast, or this is no tick */
    if (__builtin_expect(has_new_orders(cpu, &generation) ||
                             (int64_t)(late + cpu->guard) < 0,
                         0)) {
        if (tprof_arch_is_tick(cpu, trap, fp, now))
            tprof_interrupt(cpu, trap, fp); /* the guard is set now */
        else
            handle_other(cpu, now);
        return;
    }
    r->counts.ticks++;
    if ((int64_t)late < 0)
        late = 0; /* the timer is a little fast */

    uint64_t left = tprof_schedule_advance(&cpu->schedule, now);
    uintptr_t way = tprof_arch_short_way();
    const uint64_t *pc = tprof_arch_trap_pc(trap);
    uint64_t sp = tprof_arch_trap_sp(trap);
    bool is_quick;

    /* The quick way is tried again if image, stack or thread have changed. The
     * second call of tprof_sample_prepare() changes nothing. */
    do
        is_quick = left != 0 && tprof_sample_quick(r, pc, sp, fp, now, late);
    while (__builtin_expect(!is_quick, 0) && tprof_sample_prepare(r, *pc, sp) &&
           left != 0);
    if (__builtin_expect(!is_quick, 0)) {
        struct tprof_registers at = {*pc, sp, fp};

        left = record_slowly(cpu, &at, now, late, left != 0);
        way = 0;
    }
    /* the lower half is enough: no tick takes 2^32 clock ticks */
    uint32_t cost = (uint32_t)tprof_arch_now() - (uint32_t)now;
    uint64_t woken = atomic_load_explicit(&cpu->woken, memory_order_relaxed);

    /* has the deadline passed, is it far away, or may the timer have been
     * changed? */
    if (__builtin_expect(!way || ((left - cost) | woken) >> 31, 0)) {
        tprof_arch_timer_arm(cpu, now + left);
        tprof_arch_end_interrupt();
    } else {
        tprof_arch_end_tick(way, left - cost);
    }
    tprof_count_cost(cpu, cost + cpu->around);
    if (__builtin_expect(tprof_is_pump_due(now), 0) && left != 0)
        run_pump(cpu);
}

/* --- The kernel's ticks --------------------------------------------------- */

/* Takes a sample in the kernel's tick. (weight) is 0 if more than one deadline
 * has passed: the sample's weight is then computed from (now). */
static void take_sample(struct tprof_cpu *cpu, const struct tprof_registers *r,
                        uint64_t now, uint64_t late, uint64_t weight)
{
    struct tprof_sample sample = {
        .at = *r, .time = now, .late = late, .weight = weight};
    bool is_quick;

    cpu->recorder.counts.ticks++;
    do
        is_quick = weight != 0 && tprof_sample_quick(&cpu->recorder, &r->pc,
                                                     r->sp, r->fp, now, late);
    while (!is_quick && tprof_sample_prepare(&cpu->recorder, r->pc, r->sp));
    if (!is_quick)
        record_any(cpu, &sample);
}

/* The kernel's ticks come at a fixed rate: one of several becomes a sample. */
static void fixed_tick(struct tprof_cpu *cpu, const struct tprof_registers *r,
                       uint64_t now)
{
    /* New orders do not draw again: that would bias the samples after each
     * START of a one-way channel. */
    if (cpu->countdown - 1u >= longest_countdown())
        cpu->countdown = draw_countdown(cpu);
    if (--cpu->countdown != 0)
        return;
    cpu->countdown = draw_countdown(cpu);
    take_sample(cpu, r, now, 0, 1);
}

/* The tick comes at this core's deadline, or earlier if only the kernel needs
 * it. */
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
    uint32_t generation;
    bool shared = tprof_agent.config.timer == TPROF_TIMER_SHARED;
    bool begin = has_new_orders(cpu, &generation) ||
                 (shared && tprof_is_sampling(cpu) && is_clock_back(cpu, now));

    /* the kernel's ticks continue after a core has left */
    if (atomic_load_explicit(&cpu->started, memory_order_relaxed) && begin)
        apply_orders(cpu, generation, now);
    doubt_pump_due(now);
    if (tprof_is_sampling(cpu)) {
        (shared ? shared_tick : fixed_tick)(cpu, r, now);
        tprof_count_cost(cpu, tprof_arch_now() - now);
    }
    if (tprof_is_pump_due(now))
        run_pump(cpu);
}
