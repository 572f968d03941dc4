/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local APIC's timer, shared by a kernel that ticks by it and the profiler:
 * config.timer is TPROF_TIMER_SHARED. The timer is programmed for the earlier
 * of the kernel's deadline and the profiler's.
 *
 *     static struct tprof_shared_timer timer; // of all cores
 *     static struct tprof_shared_core core[CORES];
 *
 *     once, before any core uses its timer:
 *         tprof_shared_calibrate(&timer);
 *     wherever the kernel programmed its timer, and once on each core after
 *     tprof_start_cpu(), with interrupts off:
 *         tprof_shared_program(&timer, &core[n], deadline);
 *     in the timer's interrupt:
 *         tprof_tick(&interrupted);
 *         if (tprof_shared_is_due(&timer, &core[n]))
 *             the kernel's own work in this interrupt
 *
 * The kernel sets up the timer's LVT entry as before, one-shot or for TSC
 * deadlines, and ends the interrupt. A periodic tick becomes one-shot:
 * tprof_shared_tick_every() keeps its rate. Deadlines are TSC values;
 * UINT64_MAX means never.
 */
#ifndef TPROF_LAPIC_SHARED_H
#define TPROF_LAPIC_SHARED_H

#include <stdint.h>

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Access to the timer, the same for all cores */
struct tprof_shared_timer {
    uintptr_t registers; /* virtual address of the xAPIC's page; 0: x2APIC */
    /* Counts of the timer in a TSC tick, x 2^32. A kernel that knows both rates
     * sets this to (timer_hz << 32) / tsc_hz. */
    uint64_t counts_per_tsc;
    uint32_t tsc_deadline; /* 1: the timer compares with the TSC itself */
};

/* The kernel's events on one core */
struct tprof_shared_core {
    uint64_t deadline; /* TSC of the kernel's next event; UINT64_MAX: none */
    uint64_t period;   /* TSC ticks between two events; 0: no periodic tick */
};

#define TPROF_SHARED_LVT     0x32u
#define TPROF_SHARED_INITIAL 0x38u
#define TPROF_SHARED_CURRENT 0x39u
#define TPROF_SHARED_SPAN    ((uint64_t)1 << 23) /* TSC ticks: 2 to 8 ms */
#define TPROF_SHARED_TRIES   8
#define TPROF_SHARED_LATE    64 /* periods */

__extension__ typedef unsigned __int128 tprof_shared_u128;

static inline void tprof_shared_wrmsr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(msr), "a"((uint32_t)value),
                       "d"((uint32_t)(value >> 32))
                     : "memory");
}

static inline void tprof_shared_write(const struct tprof_shared_timer *t,
                                      uint32_t reg, uint32_t value)
{
    if (t->registers)
        *(volatile uint32_t *)(t->registers + 16 * reg) = value;
    else
        tprof_shared_wrmsr(0x800 + reg, value);
}

static inline uint32_t tprof_shared_read(const struct tprof_shared_timer *t,
                                         uint32_t reg)
{
    uint32_t low, high;

    if (t->registers)
        return *(volatile uint32_t *)(t->registers + 16 * reg);
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(0x800 + reg));
    return low;
}

/*
 * Measures (t->counts_per_tsc). Takes 2 to 8 ms, or up to eight times as long
 * on a busy host. TSC deadlines do not need this measurement.
 *
 * Before the call, the kernel sets (t->registers), and the timer's divide that
 * it will use later. Interrupts must be off, so that only the timer is
 * measured. After the call the timer is one-shot, masked and stopped, and the
 * kernel writes its LVT entry.
 */
static inline void tprof_shared_calibrate(struct tprof_shared_timer *t)
{
    uint64_t least = UINT64_MAX;

    tprof_shared_write(t, TPROF_SHARED_LVT, 1u << 16 | 0xff);
    for (int i = 0; i < TPROF_SHARED_TRIES && least > TPROF_SHARED_SPAN >> 12;
         i++) {
        uint64_t before = __builtin_ia32_rdtsc();

        tprof_shared_write(t, TPROF_SHARED_INITIAL, UINT32_MAX);

        uint64_t start = __builtin_ia32_rdtsc(), last = start;

        while (last - start < TPROF_SHARED_SPAN)
            last = __builtin_ia32_rdtsc();
        uint32_t left = tprof_shared_read(t, TPROF_SHARED_CURRENT);
        uint64_t now = __builtin_ia32_rdtsc();
        uint64_t unsure = start - before + now - last;

        if (unsure < least) {
            least = unsure;
            t->counts_per_tsc =
                ((uint64_t)(UINT32_MAX - left) << 32) / (now - start);
        }
    }
    tprof_shared_write(t, TPROF_SHARED_INITIAL, 0);
}

/* Makes the calling core's timer fire at (deadline), or earlier for the
 * profiler. Interrupts are off. */
static inline void tprof_shared_program(const struct tprof_shared_timer *t,
                                        struct tprof_shared_core *c,
                                        uint64_t deadline)
{
    uint64_t next = tprof_deadline();

    c->deadline = deadline;
    if (deadline < next)
        next = deadline;
    if (t->tsc_deadline) {
        /* 0 would stop the timer */
        tprof_shared_wrmsr(0x6e0, next == UINT64_MAX ? 0 : next | (next == 0));
        return;
    }
    int64_t left = (int64_t)(next - __builtin_ia32_rdtsc());
    uint64_t count = 1; /* at once */

    if (next == UINT64_MAX)
        count = 0;
    else if (left > 0)
        count +=
            (uint64_t)((tprof_shared_u128)(uint64_t)left * t->counts_per_tsc >>
                       32);
    /* a count that is too long fires early, which tprof_shared_is_due() notices
     */
    tprof_shared_write(t, TPROF_SHARED_INITIAL,
                       count > UINT32_MAX ? UINT32_MAX : (uint32_t)count);
}

/* Gives the kernel a tick on the calling core, every (period) TSC ticks from
 * now on. Interrupts are off. */
static inline void tprof_shared_tick_every(const struct tprof_shared_timer *t,
                                           struct tprof_shared_core *c,
                                           uint64_t period)
{
    c->period = period;
    tprof_shared_program(t, c, __builtin_ia32_rdtsc() + period);
}

/*
 * Has the kernel's deadline passed? Call this in the timer's interrupt, after
 * tprof_tick(), with interrupts off. Programs the timer for the next deadline.
 * Returns 1 or 0.
 *
 * If the deadline has passed, the next deadline is a period later, or
 * UINT64_MAX without a periodic tick. So if interrupts were off for several
 * periods, the late ticks follow immediately, one after the other. If more than
 * TPROF_SHARED_LATE ticks are late, for example after a pause of the machine,
 * they are dropped, and the next tick is a period from now.
 */
static inline int tprof_shared_is_due(const struct tprof_shared_timer *t,
                                      struct tprof_shared_core *c)
{
    uint64_t now = __builtin_ia32_rdtsc(), next = c->deadline;
    int is_due = now >= next;

    if (is_due)
        next = c->period ? next + c->period : UINT64_MAX;
    if (is_due && c->period &&
        now - c->deadline > TPROF_SHARED_LATE * c->period)
        next = now + c->period;
    tprof_shared_program(t, c, next);
    return is_due;
}

#ifdef __cplusplus
}
#endif

#endif
