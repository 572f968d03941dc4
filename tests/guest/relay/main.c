/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ball goes round all cores of the Toro-style scheduler. The only thread of a
 * core waits for the ball in Await(), and then passes it on to the next core:
 * in Pass_0() on core 0, in Pass_1() on core 1, and so on. A core passes only
 * when the next core's thread has blocked. So each thread is blocked exactly
 * once in a round, and exactly one function ends the wait.
 *
 * Options: rounds=N; settle=N ticks before the first, in which the sums of
 * threads begin; those of profile.h.
 */
#include <stdatomic.h>

#include "cpu.h"
#include "guest.h"
#include "must.h"
#include "profile.h"
#include "sched.h"
#include "timed.h"

#define CORES 4

static struct player {
    _Alignas(64) const void *thread;
    atomic_uint ball;       /* the round in which the player got the ball */
    atomic_uint blocked_in; /* the round in which the player is blocked */
    unsigned looks;         /* of the scheduler in this round */
} players[CORES];
static uint64_t rounds, settle;

/* The scheduler looks once before it gives up the thread, and then again. */
static bool has_ball(const void *round)
{
    struct player *self = &players[core_index()];

    if (++self->looks == 2)
        atomic_store(&self->blocked_in, (unsigned)(uintptr_t)round);
    return atomic_load(&self->ball) >= (uintptr_t)round;
}

__attribute__((noinline)) static void Await(uint64_t round)
{
    players[core_index()].looks = 0;
    WaitFor(has_ball, (const void *)round);
    __asm__ volatile(""); /* a jump would leave no frame */
}

static inline void pass_to(unsigned core, uint64_t round)
{
    struct player *to = &players[core];

    while (atomic_load(&to->blocked_in) != round)
        cpu_pause();
    timed_wake(to->thread); /* first: the next core may look at any time */
    atomic_store(&to->ball, (unsigned)round);
    Wake(core);
}

/* Each core has a function of its own, so that a wait that another core has
 * ended shows. */
#define PASS(n)                                                                \
    __attribute__((noinline)) static void Pass_##n(unsigned to, uint64_t r)    \
    {                                                                          \
        pass_to(to, r);                                                        \
    }
PASS(0)
PASS(1)
PASS(2)
PASS(3)

static void (*const pass[CORES])(unsigned to, uint64_t round) = {
    Pass_0, Pass_1, Pass_2, Pass_3};

static void Ball(void *arg)
{
    unsigned self = core_index(), next = (self + 1) % core_count();

    (void)arg;
    players[self].thread = CurrentThread();
    for (uint64_t round = 1; round <= rounds; round++) {
        if (self == 0)
            pass[self](next, round);
        Await(round);
        if (self != 0)
            pass[self](next, round);
    }
    if (self != 0)
        return;
    cpu_irq_disable();
    profile_drain();
    guest_exit(0);
}

static void run_core(void)
{
    struct tprof_stats stats = {0};

    profile_begin();
    while (stats.ticks < settle)
        must(tprof_get_stats(core_index(), &stats));
    BeginThread("Ball", core_index(), Ball, NULL);
    StartThreads();
}

int guest_main(void)
{
    if (core_count() > CORES)
        guest_fail("too many cores");
    rounds = opt_u64("rounds", 1000);
    settle = opt_u64("settle", 0);
    profile_init();
    timed_init();
    sched_init();
    core_run_all(run_core);
    return 0;
}
