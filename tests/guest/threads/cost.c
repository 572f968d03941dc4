/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the instructions of the calls about threads, by the TSC under -icount
 * 0, where each instruction is a tick. Prints a line "NAME COUNT" for each:
 *
 *   thread_detached, switch_detached, wake_detached: no collector is there
 *   switch_ready    to another thread, which was ready, because of a yield
 *   switch_blocked  the same, with a stack of four callers that is known
 *   switch_frame    each further caller of that stack
 *   wake            by code with the same stack
 *   name_end        a thread begins and ends
 *   begin_end       a request begins and ends
 *   begin_end_detached  the same, when no collector is there
 *   lock_detached   a wait for a lock, its acquire and its release, when no
 *                   collector is there
 *   lock_free       an acquire and a release without a wait
 *   lock_waited     the same after a wait, at a stack that is known
 *   tick_thread     a tick in another thread than the last tick, more than one
 *                   in the same thread
 */
#include <tprof/tprof.h>

#include "cpu.h"
#include "ear.h"
#include "guest.h"
#include "host.h"
#include "must.h"
#include "parts.h"
#include "timed.h"

#define TIMES 1000u
#define A     1u
#define B     2u

static struct host_frame order;
static int is_there;

static int open_channel(void *context)
{
    (void)context;
    return is_there;
}

static const struct tprof_channel channel = {
    .flags = TPROF_CHANNEL_IRQ_SAFE,
    .context = &order,
    .open = open_channel,
    .send = ear_send,
    .receive = host_says,
};

/* Instructions between two readings of the clock */
static uint64_t own;

static void print(const char *name, uint64_t ticks)
{
    con_printf("%s %lu\n", name, ticks / TIMES - own);
}

static void measure_own(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < TIMES; i++) {
        uint64_t begin = cpu_rdtsc();

        sum += cpu_rdtsc() - begin;
    }
    own = sum / TIMES;
}

struct costs {
    uint64_t ready, blocked, wake;
};

/* a calls itself, so that its stack has (depth) callers more; the compiler
 * must not make a loop of that */
__attribute__((noinline)) static void play(struct costs *c, uint32_t depth)
{
    if (depth > 0) {
        play(c, depth - 1);
        __asm__ volatile("");
        return;
    }
    uint64_t begin = cpu_rdtsc();

    tprof_switch(A, B, TPROF_BLOCKED);
    uint64_t blocked = cpu_rdtsc();

    tprof_wake(A);
    uint64_t woken = cpu_rdtsc();

    tprof_switch(B, A, TPROF_READY);
    c->ready += cpu_rdtsc() - woken;
    c->wake += woken - blocked;
    c->blocked += blocked - begin;
}

static struct costs play_often(uint32_t depth)
{
    struct costs c = {0};

    play(&c, depth); /* from now on the stack is known */
    c = (struct costs){0};
    for (uint32_t i = 0; i < TIMES; i++)
        play(&c, depth);
    return c;
}

static void measure_slot(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < TIMES; i++) {
        uint64_t begin = cpu_rdtsc();

        tprof_thread(A);
        sum += cpu_rdtsc() - begin;
    }
    print("thread", sum);
}

static uint64_t cost_of_requests(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < TIMES; i++) {
        uint64_t begin = cpu_rdtsc();

        tprof_begin(0, i + 1);
        tprof_end(0, i + 1);
        sum += cpu_rdtsc() - begin;
    }
    return sum;
}

static void measure_names(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < TIMES; i++) {
        uint64_t begin = cpu_rdtsc();

        (void)tprof_name(100 + i, "Ten bytes.");
        tprof_thread_end(100 + i);
        sum += cpu_rdtsc() - begin;
    }
    print("name_end", sum);
}

static void pass_ticks(uint64_t ticks)
{
    struct tprof_stats s;
    uint64_t end;

    must(tprof_get_stats(0, &s));
    end = s.ticks + ticks;
    cpu_irq_enable();
    while (s.ticks < end)
        must(tprof_get_stats(0, &s));
    cpu_irq_disable();
}

/* Returns what TIMES ticks cost, while the core runs thread A, or (in_turn) A
 * and B. */
static uint64_t cost_of_ticks(int in_turn)
{
    struct tprof_stats first, last, s;

    must(tprof_get_stats(0, &first));
    last = first;
    cpu_irq_enable();
    do {
        must(tprof_get_stats(0, &s));
        if (s.ticks != last.ticks && in_turn)
            tprof_thread(s.ticks % 2 ? A : B);
        last = s;
    } while (s.ticks < first.ticks + TIMES);
    cpu_irq_disable();
    return s.cost_tsc - first.cost_tsc;
}

static void init_locks(void)
{
    static uint8_t memory[TPROF_LOCKS_MEMORY(16, 16)]
        __attribute__((aligned(64)));
    const struct tprof_locks_config config = {
        .memory = memory,
        .size = sizeof memory,
        .locks = 16,
        .waits = 16,
    };

    must(tprof_locks(&config));
}

/* Returns what TIMES acquires and releases cost, each after a wait if
 * (waited). */
static uint64_t cost_of_locks(int waited)
{
    static char lock;
    uint64_t sum = 0;

    for (uint32_t i = 0; i <= TIMES; i++) {
        uint64_t begin = cpu_rdtsc();

        if (waited)
            tprof_wait(&lock);
        tprof_got(&lock);
        tprof_gave(&lock);
        sum += i > 0 ? cpu_rdtsc() - begin : 0; /* the stack is known */
    }
    return sum;
}

static void init_requests(void)
{
    static uint8_t memory[TPROF_REQUESTS_MEMORY(1, 64, 32)]
        __attribute__((aligned(64)));
    const struct tprof_requests_config config = {
        .memory = memory,
        .size = sizeof memory,
        .open = 64,
    };

    must(tprof_requests(&config));
}

void measure_costs(void)
{
    const struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .cpus = core_count(),
        .channel = &channel,
    };

    host_start(&order, 1000, 1000000);
    must(tprof_init(&config));
    timed_init();
    must(tprof_name(A, "A"));
    must(tprof_name(B, "B"));
    must(tprof_start_cpu());
    measure_own();
    measure_slot();
    struct costs c = play_often(2);

    print("switch_detached", c.ready);
    print("wake_detached", c.wake);
    print("begin_end_detached", cost_of_requests());
    print("lock_detached", cost_of_locks(1));
    is_there = 1;
    pass_ticks(1000); /* the sums have begun */

    c = play_often(2);
    print("switch_ready", c.ready);
    print("switch_blocked", c.blocked);
    print("wake", c.wake);
    con_printf("switch_frame %lu\n",
               (play_often(6).blocked - c.blocked) / 4 / TIMES);
    measure_names();
    con_printf("tick_thread %lu\n",
               (cost_of_ticks(1) - cost_of_ticks(0)) / TIMES);
    init_requests();
    tprof_thread(A); /* whose record is running since the last switch */
    pass_ticks(100); /* the sums have begun */
    (void)cost_of_requests();
    (void)tprof_flush(1000); /* most requests are not slow from now on */
    print("begin_end", cost_of_requests());
    init_locks();
    pass_ticks(3000); /* the sums of locks have begun */
    print("lock_free", cost_of_locks(0));
    print("lock_waited", cost_of_locks(1));
}
