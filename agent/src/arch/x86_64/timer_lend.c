/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A timer that the kernel uses, too: it loads a count of its own, and waits for
 * its end, maybe in a loop. A count of ours would keep that waiting, also in
 * the interrupt at the end of its own, which comes before the loop sees it. So
 * the timer is left alone then, and rests at 0 until another core wakes this
 * one.
 *
 * That may be before the loop has run again. So the count of ours that comes
 * next is one to rest at, too, and only then all is as before. And where the
 * timers of all cores that sample are at rest nobody would wake them: the last
 * one is armed at once, and whose code waits there does so for an interval
 * more, until it can rest, since by then another one is overdue and can be
 * woken.
 */
#include "timer.h"

#define THOROUGH (1u << 29) /* TSC ticks between two thorough looks */

/* tprof_lent.state. Sums tell whether all are at rest. */
enum state {
    AT_FIRST = 0,
    RESTED = 2,  /* at rest for the second time */
    AT_REST = 3, /* somebody's count is over */
    OURS = 200,  /* more than all cores at rest together */
    LENT = 201,  /* a count runs, and the timer will rest at its end */
};

/* Notices what others did to the timer, and claims it unless their count runs.
 * Is somebody waiting for its end, or was until now? */
static int is_lent(struct tprof_lapic *l, struct tprof_cpu *cpu)
{
    struct tprof_lent *t = &cpu->lent;
    uint64_t now = tprof_rdtsc();
    uint32_t count = tprof_lapic_read(l, LAPIC_TIMER_INITIAL);

    if (count == t->armed && now < t->due && !cpu->woken)
        return 0;
    cpu->woken = 0;
    t->due = now + THOROUGH;
    uint32_t lvt = tprof_lapic_read(l, LAPIC_LVT_TIMER) & ~LAPIC_LVT_PENDING;

    if (count == t->armed && lvt == (LAPIC_LVT_ONE_SHOT | l->vector) &&
        tprof_lapic_read(l, LAPIC_TIMER_DIVIDE) == LAPIC_DIVIDE_BY_1)
        return 0;
    t->due = 0;
    t->state = LENT;
    /* a periodic one has no end to wait for */
    if (!(lvt & LAPIC_LVT_PERIODIC) &&
        tprof_lapic_read(l, LAPIC_TIMER_CURRENT) != 0)
        return 1;
    t->state = RESTED;
    if (count + 1 != t->unsure) {
        t->state = AT_REST;
        cpu->recorder.counts.repaired++;
    }
    t->armed = 0;
    tprof_lapic_claim(l); /* a barrier, too */
    return 1;
}

static void arm(struct tprof_lapic *l, struct tprof_cpu *cpu, uint64_t deadline)
{
    struct tprof_lent *t = &cpu->lent;

    if (t->state == AT_FIRST) {
        l->deadline = false; /* then there is no count to wait by */
        l->one_shot = 0;     /* look before arming */
        tprof_lapic_claim(l);
        t->armed = 0;
    }
    if (is_lent(l, cpu))
        return;
    uint32_t count = tprof_lapic_arm(l, deadline);

    if (t->state == AT_REST) {
        t->state = LENT;
        t->unsure = count + 1;
        return;
    }
    t->state = OURS;
    t->armed = count;
}

/* As struct tprof_lending has it. Are the timers of all at rest, and these are
 * some? */
static int look_around(void)
{
    struct tprof_agent *a = &tprof_agent;
    uint64_t now = tprof_rdtsc();
    uint32_t sum = 0;

    for (uint32_t i = 0; i < tprof_cpus; i++) {
        volatile struct tprof_cpu *cpu = a->core[i];
        uint32_t state = cpu->lent.state;

        if (state != OURS && state != AT_FIRST && !cpu->woken &&
            (int64_t)(now - cpu->schedule.deadline) > 0) {
            cpu->woken = TPROF_WOKEN;
            tprof_lapic_send(&a->lapic, cpu->apic_id);
        }
        /* who is woken, be it that interrupts are off there for long, will see
         * to the others */
        if (cpu->sampling)
            sum += cpu->woken ? OURS : state;
    }
    return sum > AT_REST && sum < OURS;
}

static void lend(struct tprof_cpu *cpu, uint64_t deadline)
{
    struct tprof_agent *a = &tprof_agent;

    arm(&a->lapic, cpu, deadline);
    if (look_around()) {
        cpu->lent.state = AT_REST; /* once more: its code may still wait */
        arm(&a->lapic, cpu, deadline);
    }
    if (cpu->lent.state != OURS && deadline != 0 &&
        tprof_state() != WIRE_STATE_SAMPLING)
        tprof_hand_look_on(cpu->index);
}

const struct tprof_lending tprof_lend_timer = {lend, look_around};
