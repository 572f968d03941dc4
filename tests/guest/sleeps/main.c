/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two threads of the Toro-style scheduler sleep as often and as long as the
 * guest plans; a third thread ends each sleep. The guest is linked with
 * --wrap=tprof_switch and --wrap=tprof_wake: it reads the clock right before
 * each of these calls, with interrupts off, and prints for each sleeper
 *
 *     NAME: N sleeps, T ticks
 *
 * Options: settle=N ticks before the first sleep, in which the sums of threads
 * begin; those of profile.h.
 */
#include "cpu.h"
#include "guest.h"
#include "must.h"
#include "profile.h"
#include "sched.h"
#include "timed.h"

#define SLEEPERS 2

static const struct {
    const char *name;
    uint64_t sleeps, least, more; /* ticks: of the first, and of each next */
} plans[SLEEPERS] = {
    {"Short", 150, 20000, 777},
    {"Long", 70, 300000, 11111},
};

static struct sleeper {
    const void *thread;
    uint64_t began, slept, sleeps; /* clock, ticks, number of ended sleeps */
    uint64_t until;                /* clock; 0: the thread does not sleep */
} sleepers[SLEEPERS], others;

static struct sleeper *sleeper_of(uint64_t id)
{
    for (unsigned i = 0; i < SLEEPERS; i++) {
        if (id == (uintptr_t)sleepers[i].thread)
            return &sleepers[i];
    }
    return &others;
}

void __real_tprof_switch(uint64_t from, uint64_t to, uint32_t why);
void __wrap_tprof_switch(uint64_t from, uint64_t to, uint32_t why);
void __real_tprof_wake(uint64_t id);
void __wrap_tprof_wake(uint64_t id);

void __wrap_tprof_switch(uint64_t from, uint64_t to, uint32_t why)
{
    uint64_t flags = cpu_irq_save();
    struct sleeper *s = sleeper_of(from);
    uint64_t now = cpu_rdtsc();

    __real_tprof_switch(from, to, why);
    if (why == TPROF_BLOCKED)
        s->began = now;
    cpu_irq_restore(flags);
}

void __wrap_tprof_wake(uint64_t id)
{
    uint64_t flags = cpu_irq_save();
    struct sleeper *s = sleeper_of(id);
    uint64_t now = cpu_rdtsc();

    __real_tprof_wake(id);
    s->slept += now - s->began;
    s->sleeps++;
    cpu_irq_restore(flags);
}

static bool is_awake(const void *arg)
{
    const struct sleeper *s = arg;

    return s->until == 0;
}

static void Sleeper(void *arg)
{
    uintptr_t i = (uintptr_t)arg;
    struct sleeper *s = &sleepers[i];

    s->thread = CurrentThread();
    for (uint64_t n = 0; n < plans[i].sleeps; n++) {
        s->until = cpu_rdtsc() + plans[i].least + n * plans[i].more;
        WaitFor(is_awake, s);
    }
    for (;;) /* ready: no more blocked time */
        SysThreadSwitch();
}

static bool is_over(void)
{
    for (unsigned i = 0; i < SLEEPERS; i++) {
        if (sleepers[i].sleeps < plans[i].sleeps)
            return false;
    }
    return true;
}

static void Clock(void *arg)
{
    (void)arg;
    while (!is_over()) {
        for (unsigned i = 0; i < SLEEPERS; i++) {
            struct sleeper *s = &sleepers[i];

            if (s->until != 0 && cpu_rdtsc() >= s->until) {
                timed_wake(s->thread);
                s->until = 0;
            }
        }
        SysThreadSwitch();
    }
    cpu_irq_disable();
    profile_drain();
    for (unsigned i = 0; i < SLEEPERS; i++)
        con_printf("%s: %lu sleeps, %lu ticks\n", plans[i].name,
                   sleepers[i].sleeps, sleepers[i].slept);
    guest_exit(0);
}

int guest_main(void)
{
    uint64_t settle = opt_u64("settle", 0);
    struct tprof_stats stats = {0};

    profile_init();
    timed_init();
    sched_init();
    profile_begin();
    while (stats.ticks < settle)
        must(tprof_get_stats(0, &stats));
    BeginThread("Clock", 0, Clock, NULL);
    for (uintptr_t i = 0; i < SLEEPERS; i++)
        BeginThread(plans[i].name, 0, Sleeper, (void *)i);
    StartThreads();
}
