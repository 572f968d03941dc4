/* SPDX-License-Identifier: BSD-2-Clause */
#include "time/timer.h"

#include "drive/tick.h"
#include "state/agent.h"

#define THOROUGH (1u << 29) /* TSC ticks between two thorough looks */

/*
 * Lends the timer to a kernel that loads a count of its own and waits for the
 * end of that count, perhaps in a loop that reads the timer. A count of the
 * agent would make that wait longer. So would a count that the agent loads in
 * the interrupt at the end of the kernel's count, because the loop has not seen
 * that end yet. So after the kernel's count the timer rests at 0, until another
 * core wakes this one.
 *
 * This core may be woken before the loop has run again. So the agent's next
 * count is on probation: the timer rests at the end of that count as well.
 *
 *      first arm          the kernel loads a count
 *   NEW ------> OURS ---------------------------------> LENT
 *                ^                                       |  its end
 *          woken |                                       v
 *              RESTED <------------- PROBATION <------ RESTING
 *                         its end                woken
 *
 * In PROBATION the kernel may load a count, too: the state is LENT again. The
 * state is also LENT as long as the kernel uses the timer for interrupts of its
 * own.
 *
 * If the timers of all cores that sample rest, no core can wake another. The
 * core that notices this moves to PROBATION immediately. If its kernel is still
 * waiting, that wait takes an interval longer. By then another core is overdue,
 * and can be woken.
 *
 * The state is tprof_lent.state. Only this core writes it.
 */
enum lend_state {
    NEW = 0,   /* the agent has not used this timer yet */
    OURS,      /* a count of the agent runs */
    LENT,      /* a count of the kernel runs, or the kernel ticks by it */
    RESTING,   /* a count of the kernel is over */
    PROBATION, /* a count of the agent runs, to rest at its end */
    RESTED,    /* that count of the agent is over, too */
};

/* Number of cores that have yielded their timers: LENT or a later state. Never
 * too small: a core that has left stays counted. While it is 0, no core looks
 * at others. */
static _Atomic uint32_t yielded;

/* Returns the state of a core. Any core may call this. A state that has just
 * changed is seen at the next look. */
static enum lend_state state_of(const struct tprof_cpu *cpu)
{
    return atomic_load_explicit(&cpu->arch.lent.state, memory_order_relaxed);
}

static void set_state(struct tprof_cpu *cpu, enum lend_state state)
{
    uint32_t was = state_of(cpu) > OURS, is = state > OURS;

    atomic_store_explicit(&cpu->arch.lent.state, state, memory_order_relaxed);
    if (is != was)
        atomic_fetch_add_explicit(&yielded, is - was, memory_order_relaxed);
}

static bool has_yielded(void)
{
    return atomic_load_explicit(&yielded, memory_order_relaxed) != 0;
}

/* Is the timer as the agent has left it? The initial count is enough in almost
 * all cases. The other registers are read from time to time, and after this
 * core was woken. */
static bool is_untouched(struct tprof_cpu *cpu, uint32_t count)
{
    struct tprof_lent *t = &cpu->arch.lent;
    uint64_t now = tprof_rdtsc();

    if (count == t->armed && now < t->due && !tprof_is_woken(cpu))
        return true;
    tprof_set_woken(cpu, false);
    t->due = now + THOROUGH;
    return count == t->armed &&
           (tprof_lapic_read(&tprof_lapic, LAPIC_LVT_TIMER) &
            ~LAPIC_LVT_PENDING) == (LAPIC_LVT_ONE_SHOT | tprof_lapic.vector) &&
           tprof_lapic_read(&tprof_lapic, LAPIC_TIMER_DIVIDE) ==
               LAPIC_DIVIDE_BY_1;
}

/* Gives way, because the kernel has changed the timer: its initial count is
 * (count), not the agent's. */
static void yield_timer(struct tprof_cpu *cpu, uint32_t count)
{
    struct tprof_lent *t = &cpu->arch.lent;
    bool on_probation = count + 1 == t->resting_count;

    t->due = 0;
    /* does it count down to an end for which the kernel may be waiting? */
    if (tprof_lapic_read(&tprof_lapic, LAPIC_TIMER_CURRENT) != 0) {
        set_state(cpu, on_probation ? PROBATION : LENT);
        return;
    }
    set_state(cpu, on_probation ? RESTED : RESTING);
    cpu->recorder.counts.repaired += !on_probation;
    t->armed = 0;
    tprof_lapic_claim(&tprof_lapic); /* also a barrier */
}

static void claim_first(struct tprof_cpu *cpu)
{
    tprof_lapic.deadline = false; /* the kernel waits by a count */
    tprof_lapic.one_shot = 0;     /* look before arming */
    tprof_lapic_claim(&tprof_lapic);
    cpu->arch.lent.armed = 0;
}

/* Returns false if the kernel ticks by this timer: then the timer is neither
 * the agent's nor lent. */
static bool arm_or_yield(struct tprof_cpu *cpu, uint64_t deadline)
{
    struct tprof_lent *t = &cpu->arch.lent;

    if (state_of(cpu) == NEW)
        claim_first(cpu);
    uint32_t count = tprof_lapic_read(&tprof_lapic, LAPIC_TIMER_INITIAL);

    if (!is_untouched(cpu, count)) {
        if (tprof_lapic_is_used(&tprof_lapic)) {
            atomic_fetch_or_explicit(&cpu->facts, WIRE_STATS_TIMER_KEPT,
                                     memory_order_relaxed);
            set_state(cpu, LENT); /* so that others wake this core */
            return false;
        }
        yield_timer(cpu, count);
        return true;
    }
    count = tprof_lapic_arm(&tprof_lapic, deadline);
    if (state_of(cpu) == RESTING) {
        set_state(cpu, PROBATION);
        t->resting_count = count + 1;
        return true; /* (armed) stays 0: the count's end is noticed */
    }
    set_state(cpu, OURS);
    t->armed = count;
    return true;
}

/* Wakes cores whose timers the kernel uses, and whose deadlines have passed. */
static void wake_the_overdue(void)
{
    uint64_t now = tprof_rdtsc();

    for (uint32_t i = 0; i < tprof_cpus; i++) {
        struct tprof_cpu *cpu = tprof_agent.core[i];
        enum lend_state state = state_of(cpu);

        if (state != OURS && state != NEW && !tprof_is_woken(cpu) &&
            (int64_t)(now - tprof_schedule_deadline(&cpu->schedule)) > 0) {
            tprof_set_woken(cpu, true);
            tprof_lapic_send(&tprof_lapic, cpu->hardware_id);
        }
    }
}

/* Do the timers of all cores that sample rest, and are these two cores or more?
 * If one was woken, that core will wake the others, even if its interrupts are
 * off for long. */
static bool do_all_rest(void)
{
    uint32_t resting = 0;

    for (uint32_t i = 0; i < tprof_cpus; i++) {
        const struct tprof_cpu *cpu = tprof_agent.core[i];
        enum lend_state state = state_of(cpu);

        if (!tprof_is_sampling(cpu))
            continue;
        if (tprof_is_woken(cpu) || state == OURS || state == LENT ||
            state == PROBATION)
            return false;
        resting += state == RESTING || state == RESTED;
    }
    return resting > 1;
}

/* Called after this core or another core has yielded its timer. */
static void look_at_cores(struct tprof_cpu *cpu, uint64_t deadline)
{
    wake_the_overdue();
    if (do_all_rest()) {
        set_state(cpu, RESTING); /* again, because its kernel may still wait */
        (void)arm_or_yield(cpu, deadline);
    }
    if (state_of(cpu) != OURS && deadline != 0 &&
        tprof_state() != WIRE_STATE_SAMPLING)
        tprof_hand_watch_on(cpu->index);
}

static void arm_lent_timer(struct tprof_cpu *cpu, uint64_t deadline)
{
    cpu->guard = TPROF_GUARD_ASK;
    if (arm_or_yield(cpu, deadline) && has_yielded())
        look_at_cores(cpu, deadline);
}

static void look_around(void)
{
    if (has_yielded())
        wake_the_overdue();
}

/* Returns the TSC ticks in (count) ticks of the timer, as it is set up now. */
static uint64_t tsc_ticks(uint32_t count)
{
    uint32_t divide = tprof_lapic_read(&tprof_lapic, LAPIC_TIMER_DIVIDE);
    uint32_t shift = (((divide >> 1 & 4) | (divide & 3)) + 1) % 8;

    return ((uint64_t)count << 32) / tprof_lapic.per_tsc << shift;
}

static void account_unseen(struct tprof_cpu *cpu,
                           const struct tprof_registers *at, uint64_t now)
{
    const struct tprof_lent *t = &cpu->arch.lent;
    uint32_t count = tprof_lapic_read(&tprof_lapic, LAPIC_TIMER_INITIAL);
    uint32_t left = tprof_lapic_read(&tprof_lapic, LAPIC_TIMER_CURRENT);

    if (count == 0 || count == t->armed || count + 1 == t->resting_count ||
        tprof_lapic_read(&tprof_lapic, LAPIC_LVT_TIMER) & LAPIC_LVT_PERIODIC)
        return;
    tprof_tick_unseen(cpu, at, now - tsc_ticks(count - left), WIRE_END_REST);
    if (left == 0)
        tprof_tick_unseen(cpu, at, now, WIRE_END_LENT);
}

/* Returns the time by which (cpu) is late at (now). */
static int64_t lateness(const struct tprof_cpu *cpu, uint64_t now)
{
    return (int64_t)(now - tprof_schedule_deadline(&cpu->schedule));
}

static bool is_tick(struct tprof_cpu *cpu, const struct tprof_arch_trap *trap,
                    uint64_t fp, uint64_t now)
{
    const struct tprof_registers at = {trap->rip, trap->rsp, fp};
    int64_t early = (int64_t)(cpu->schedule.period / TPROF_EARLY);

    cpu->guard = (uint64_t)early;
    if (!tprof_is_sampling(cpu) ||
        cpu->generation !=
            atomic_load_explicit(&tprof_agent.generation, memory_order_relaxed))
        return false;
    if (lateness(cpu, now) > early) {
        account_unseen(cpu, &at, now);
        cpu->looks = 1; /* the source of this interrupt is the timer */
    }
    return lateness(cpu, now) >= -early;
}

const struct tprof_lending tprof_lend_timer = {arm_lent_timer, is_tick,
                                               look_around};
