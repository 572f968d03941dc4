/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For those who look from outside: every core works without end, 16 calls deep,
 * by 64 ways to come there, and counts in memory how often it was there. What
 * sampling costs is seen by the count, which takes nobody's help to be read.
 *
 * Options: those of agent.h.
 */
#include <stdint.h>

#include "agent.h"
#include "cpu.h"
#include "guest.h"

#define CALLS   13 /* below core_run_all(), work() and its caller */
#define WAYS    64
#define ROUNDS  100                            /* of 8 instructions */
#define NO_LOOP __asm__ volatile("" : "+r"(x)) /* nor a jump, of a call */

/* tests/benches/bench_outside.c reads it: one line of the cache for each core,
 * written by it. */
struct outside_count {
    _Alignas(64) volatile uint64_t visits;
};
struct outside_count outside_counts[GUEST_CORES_MAX];

__attribute__((noinline)) static uint64_t mix(uint64_t x)
{
    for (uint32_t i = 0; i < ROUNDS; i++)
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
    return x;
}

static uint64_t odd(uint64_t x, uint32_t way, uint32_t calls);
static uint64_t further(uint64_t x, uint32_t way, uint32_t calls);

/* NOLINTNEXTLINE(misc-no-recursion) */
__attribute__((noinline)) static uint64_t even(uint64_t x, uint32_t way,
                                               uint32_t calls)
{
    x = further(x, way, calls);
    NO_LOOP;
    return x + 1;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
__attribute__((noinline)) static uint64_t odd(uint64_t x, uint32_t way,
                                              uint32_t calls)
{
    x = further(x, way, calls);
    NO_LOOP;
    return x + 2;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static inline uint64_t further(uint64_t x, uint32_t way, uint32_t calls)
{
    if (calls == 0)
        return mix(x);
    return way & 1 ? odd(x, way >> 1, calls - 1) : even(x, way >> 1, calls - 1);
}

static void work(void)
{
    struct outside_count *count = &outside_counts[core_index()];
    uint64_t x = core_index();

    agent_start_core();
    cpu_irq_enable();
    for (;;) {
        x = even(x, (uint32_t)(count->visits % WAYS), CALLS);
        count->visits++;
    }
}

int guest_main(void)
{
    agent_init();
    con_printf("outside: %u cores\n", core_count());
    core_run_all(work);
    return 0;
}
