/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads whose times and waits are known.
 *
 * On core 0 the thread "Sleeper" waits SLEEPS times in Sleep(), each time until
 * "Clock" has let a planned time pass and ended the wait in Ring(). Both read
 * the TSC around each event, so that blocked time has a lower and an upper
 * bound, which are some microseconds apart.
 *
 * One thread "Ball" on each core passes a ball on: the wait of core n is ended
 * by core n - 1, in the function Pass() of that core's thread, and by no other.
 *
 * On the last core GUESTS threads come and go, and run for a time within known
 * bounds.
 *
 * device=1  to a collector, instead of comparing the frames in here
 * cost=1    only count the instructions of the calls: cost.c
 */
#include <stdatomic.h>
#include <tprof/tprof.h>

#include "agent.h"
#include "cpu.h"
#include "ear.h"
#include "guest.h"
#include "host.h"
#include "must.h"
#include "parts.h"
#include "sched.h"
#include "timed.h"

#define SLEEPS 50u
#define ROUNDS 200u /* of the ball */
#define GUESTS 10000u
#define SPREAD                                                                 \
    100000u /* clock ticks of a sleep more than of the one before              \
             */

static struct host_frame order;
static const struct tprof_channel channel = {
    .flags = TPROF_CHANNEL_IRQ_SAFE,
    .context = &order,
    .open = host_is_there,
    .send = ear_send,
    .receive = host_says,
};

static atomic_uint done; /* cores */

/* A time is from (least) to (most). */
struct bounds {
    uint64_t least, most;
};

/* --- Sleeper and Clock ---------------------------------------------------- */

static const void *sleeper;
static atomic_uint asleep, rung; /* counts of sleeps that began, and ended */
static uint64_t before_sleep, after_sleep, before_ring, after_ring;
static struct bounds slept, longest;

static bool is_rung(const void *arg)
{
    return atomic_load(&rung) >= (uintptr_t)arg;
}

__attribute__((noinline)) static void Sleep(uintptr_t number)
{
    atomic_store(&asleep, (unsigned)number);
    before_sleep = cpu_rdtsc();
    WaitFor(is_rung, (const void *)number);
    const struct bounds b = {before_ring - after_sleep,
                             after_ring - before_sleep};

    slept.least += b.least;
    slept.most += b.most;
    if (longest.least < b.least)
        longest.least = b.least;
    if (longest.most < b.most)
        longest.most = b.most;
}

static void Sleeper(void *arg)
{
    (void)arg;
    sleeper = CurrentThread();
    for (uintptr_t i = 1; i <= SLEEPS; i++)
        Sleep(i);
}

__attribute__((noinline)) static void Ring(void)
{
    before_ring = cpu_rdtsc();
    timed_wake(sleeper);
    after_ring = cpu_rdtsc();
    atomic_fetch_add(&rung, 1);
}

static void Clock(void *arg)
{
    (void)arg;
    for (unsigned i = 1; i <= SLEEPS; i++) {
        while (atomic_load(&asleep) < i)
            SysThreadSwitch();
        after_sleep = cpu_rdtsc(); /* this thread runs: the other waits */
        while (cpu_rdtsc() - after_sleep < (uint64_t)i * SPREAD)
            cpu_pause();
        Ring();
        SysThreadSwitch();
    }
    atomic_fetch_add(&done, 1);
    for (;;)
        SysThreadSwitch();
}

/* --- Ball ----------------------------------------------------------------- */

static atomic_uint ball[GUEST_CORES_MAX]; /* rounds in which the core has it */
static const void *_Atomic player[GUEST_CORES_MAX];
static uint64_t waits[GUEST_CORES_MAX]; /* calls of WaitFor() */

static bool has_ball(const void *arg)
{
    return atomic_load(&ball[core_index()]) >= (uintptr_t)arg;
}

__attribute__((noinline)) static void Pass(unsigned core, unsigned round)
{
    atomic_store(&ball[core], round);
    timed_wake(atomic_load(&player[core]));
    Wake(core);
}

static void Ball(void *arg)
{
    unsigned self = core_index(), next = (self + 1) % core_count();

    (void)arg;
    atomic_store(&player[self], CurrentThread());
    while (atomic_load(&player[next]) == NULL)
        SysThreadSwitch();
    if (self == 0)
        Pass(next, 1);
    for (uintptr_t round = 1; round <= ROUNDS; round++) {
        while (!has_ball((const void *)round)) {
            waits[self]++;
            WaitFor(has_ball, (const void *)round);
        }
        if (self != 0)
            Pass(next, (unsigned)round);
        else if (round < ROUNDS)
            Pass(next, (unsigned)round + 1);
    }
    atomic_fetch_add(&done, 1);
}

/* --- Guests that come and go ---------------------------------------------- */

static struct bounds visited;

static void Host(void *arg)
{
    static char visitors[GUESTS]; /* an address is an id */
    const void *self = CurrentThread();

    (void)arg;
    for (unsigned i = 0; i < GUESTS; i++) {
        const void *id = &visitors[i % (GUESTS / 2)];

        timed_name(id, "Visitor", false);
        uint64_t before = cpu_rdtsc();
        timed_switch(self, id, false);
        uint64_t begin = cpu_rdtsc();

        while (cpu_rdtsc() - begin < 1000)
            cpu_pause();
        uint64_t end = cpu_rdtsc();

        tprof_switch((uintptr_t)id, (uintptr_t)self, TPROF_ENDED);
        visited.least += end - begin;
        visited.most += cpu_rdtsc() - before;
    }
    atomic_fetch_add(&done, 1);
}

/* --- What the frames say -------------------------------------------------- */

static const struct ear_thread *named(const char *name)
{
    for (unsigned i = 0; i < EAR_THREADS; i++) {
        unsigned at = 0;

        while (name[at] && ear_threads[i].name[at] == name[at])
            at++;
        if (name[at] == ear_threads[i].name[at])
            return &ear_threads[i];
    }
    con_printf("no thread %s\n", name);
    guest_fail("threads: a thread is missing");
}

static void is_within(const char *what, uint64_t value, struct bounds b)
{
    con_printf("%s: %lu, from %lu to %lu\n", what, value, b.least, b.most);
    if (value < b.least || value > b.most)
        guest_fail("threads: a time is outside its bounds");
}

static void is_equal(const char *what, uint64_t value, uint64_t expected)
{
    con_printf("%s: %lu of %lu\n", what, value, expected);
    if (value != expected)
        guest_fail("threads: a number is wrong");
}

/* Does the chain of (w) lead through a (function) of at most 512 bytes? */
static bool leads_through(const struct ear_wait *w, uint64_t function)
{
    for (uint64_t i = 0; i < w->depth; i++) {
        if (w->frames[i] - function < 512)
            return true;
    }
    return false;
}

/* The waits of (kind) of thread (t) whose stack leads through (function). */
static struct ear_wait sum_of(const struct ear_thread *t, uint64_t kind,
                              uint64_t function)
{
    struct ear_wait sum = {0};

    for (unsigned i = 0; i < EAR_WAITS; i++) {
        const struct ear_wait *w = &ear_waits[i];

        if (!w->seen || w->kind != kind || w->serial != t->serial ||
            (function && !leads_through(w, function)))
            continue;
        sum.count += w->count;
        sum.time += w->time;
        if (sum.longest < w->longest)
            sum.longest = w->longest;
    }
    return sum;
}

static void compare_sleeper(void)
{
    const struct ear_thread *t = named("Sleeper 0-0");
    struct ear_wait w = sum_of(t, 0, (uintptr_t)Sleep);
    struct ear_wait ring = sum_of(t, 1, (uintptr_t)Ring);

    is_within("slept", w.time, slept);
    is_equal("sleeps", w.count, SLEEPS);
    is_equal("rings", ring.count, SLEEPS);
    is_equal("time that Ring() ended", ring.time, w.time);
    is_equal("wakers of Sleeper", sum_of(t, 1, 0).count, SLEEPS);
    is_within("longest sleep", w.longest, longest);
}

static void compare_balls(void)
{
    char name[] = "Ball 0-0";

    for (unsigned core = 0; core < core_count(); core++) {
        name[5] = name[7] = (char)('0' + core);
        const struct ear_thread *t = named(name);
        struct ear_wait all = sum_of(t, 1, 0);
        struct ear_wait passed = sum_of(t, 1, (uintptr_t)Pass);

        con_printf("%s: %lu waits, %lu ended by Pass()\n", name, waits[core],
                   passed.count);
        is_equal("wakers of Ball", all.count, passed.count);
        if (passed.count == 0 || passed.count > waits[core])
            guest_fail("threads: a ball's waits are wrong");
    }
}

static void compare_visitors(void)
{
    const struct ear_core *c = &ear_cores[0]; /* has what is of the guest */
    uint64_t running = c->evicted_running, count = c->evicted;

    for (unsigned i = 0; i < EAR_THREADS; i++) {
        if (ear_threads[i].name[0] != 'V')
            continue;
        running += ear_threads[i].running;
        count++;
    }
    is_within("visitors ran", running, visited);
    is_equal("visitors", count, GUESTS);
    is_equal("refused", c->refused, 0);
}

/* --- The guest ------------------------------------------------------------ */

static void init(bool device)
{
    const struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .cpus = core_count(),
        .channel = &channel,
    };

    if (device) {
        agent_init();
    } else {
        host_start(&order, 1000, 2000000);
        must(tprof_init(&config));
    }
    timed_init();
}

static uint64_t ticks(void)
{
    struct tprof_stats s;

    return tprof_get_stats(core_index(), &s) == TPROF_OK ? s.ticks : 0;
}

/* The last thread of core 0: everything is over. */
static void End(void *arg)
{
    bool device = arg != NULL;

    while (atomic_load(&done) < core_count() + 2)
        SysThreadSwitch();
    while (tprof_flush(4096))
        cpu_pause();
    if (device) {
        agent_end();
    } else {
        compare_sleeper();
        compare_balls();
        compare_visitors();
    }
    con_printf("threads: %u cores, %s\n", core_count(),
               device ? "not compared" : "all sums are right");
    guest_exit(0);
}

_Noreturn static void start_core(void)
{
    unsigned self = core_index();
    static atomic_uint sampled;
    bool device = opt_u64("device", 0) != 0;

    must(tprof_start_cpu());
    cpu_irq_enable();
    /* The sums begin when the pump has cleared the tables, a slice at each of
     * its 128 calls a second: 13 slices, among other frames. */
    while (!device && ticks() < 600)
        cpu_pause();
    cpu_irq_disable();
    atomic_fetch_add(&sampled, 1);
    while (atomic_load(&sampled) < core_count())
        cpu_pause();
    BeginThread("Ball", self, Ball, NULL);
    if (self == 0) {
        BeginThread("Sleeper", 0, Sleeper, NULL);
        BeginThread("Clock", 0, Clock, NULL);
        BeginThread("End", 0, End, (void *)(uintptr_t)device);
    } else if (self == core_count() - 1) {
        BeginThread("Host", self, Host, NULL);
    }
    StartThreads();
}

int guest_main(void)
{
    if (opt_u64("cost", 0) != 0) {
        measure_costs();
        return 0;
    }
    init(opt_u64("device", 0) != 0);
    sched_init();
    core_start_others(start_core);
    start_core();
}
