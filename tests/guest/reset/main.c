/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Core 1 resets core 2, at random moments and without tprof_stop_cpu(), as soon
 * as a host samples. Each time core 2 boots, joins and works again.
 *
 * resets=N     so many times (1000), then it prints "reset: N times"
 *
 * The guest ends when nothing is sampled for a second, and prints of each core
 * how often it has joined, and what the agent has counted.
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "must.h"

#define VICTIM   2u
#define RESETTER 1u
#define QUIET    200u /* looks, of some ms each, without a tick */

static atomic_uint joins[GUEST_CORES_MAX];
static atomic_bool over;
static volatile uint64_t result[GUEST_CORES_MAX];
static uint64_t random = 1;

/* From 2^8 to 2^20, each magnitude alike: some resets come while the core is
 * joining, or takes its first orders over. */
static uint64_t draw_wait(void)
{
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (1ull << (8 + (random >> 60) % 13)) + (random >> 40 & 255);
}

static void wait(uint64_t loops)
{
    volatile uint64_t *here = &result[core_index()];

    for (uint64_t i = 0; i < loops; i++)
        *here += i;
}

static uint64_t ticks_of(unsigned core)
{
    struct tprof_stats s;

    return tprof_get_stats(core, &s) == TPROF_OK ? s.ticks : 0;
}

static void reset_again_and_again(void)
{
    uint64_t resets = opt_u64("resets", 1000);

    while (ticks_of(RESETTER) == 0)
        wait(10000);
    for (uint64_t i = 0; i < resets; i++) {
        unsigned before = joins[VICTIM];

        wait(draw_wait());
        core_reset(VICTIM);
        /* once in four, the next reset may come before it has joined */
        while (i % 4 != 0 && joins[VICTIM] == before)
            wait(1000);
    }
    con_printf("reset: %lu times\n", resets);
}

static void watch(void)
{
    uint64_t before = 0;
    unsigned quiet = 0;

    while (quiet < QUIET) {
        uint64_t ticks = ticks_of(RESETTER);

        quiet = ticks == before && ticks > 0 ? quiet + 1 : 0;
        before = ticks;
        tprof_poll();
        wait(1000000);
    }
    over = true;
}

static void print_joins(unsigned core)
{
    con_printf("joined %u", joins[core]);
}

static void run(void)
{
    unsigned core = core_index();

    agent_start_core();
    joins[core]++;
    cpu_irq_enable();
    if (core == RESETTER)
        reset_again_and_again();
    else if (core == 0)
        watch();
    while (!over)
        wait(100000);
}

int guest_main(void)
{
    agent_init();
    core_start_others(run);
    run();
    agent_print_stats(print_joins);
    return 0;
}
