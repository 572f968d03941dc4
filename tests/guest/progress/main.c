/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two counters of work, on two cores: once both cores are sampled, each does
 * REQUESTS requests of BYTES bytes, and not one more. Before and after that the
 * cores spin. Each core is at work for at least PAUSE samples.
 *
 * stay=1   end when nobody samples any more; else at once, by tprof_flush()
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "must.h"

#define REQUESTS 5000
#define BYTES    3
#define BEFORE   1000 /* done before anybody samples */
#define PAUSE    30   /* samples of the core, before and after the work */

static struct tprof_counter requests = {.name = "requests"};
static struct tprof_counter bytes = {.name = "bytes"};
static atomic_uint ready, done;

static uint64_t ticks(void)
{
    struct tprof_stats stats = {0};

    (void)tprof_get_stats(core_index(), &stats);
    return stats.ticks;
}

static void spin(uint64_t until)
{
    while (ticks() < until)
        cpu_pause();
}

/* Both cores come here. */
static void meet(atomic_uint *at)
{
    atomic_fetch_add(at, 1);
    while (atomic_load(at) < 2)
        cpu_pause();
}

static void work(void)
{
    agent_start_core();
    cpu_irq_enable();
    spin(PAUSE);
    meet(&ready);
    for (unsigned i = 0; i < REQUESTS; i++) {
        tprof_progress(&requests, 1);
        tprof_progress(&bytes, BYTES);
    }
    spin(ticks() + PAUSE);
    meet(&done);
}

/* Until no tick has come for a second or so. */
static void wait_for_stop(void)
{
    uint64_t last = 0, since = cpu_rdtsc();

    while (cpu_rdtsc() - since < 1000000000) {
        if (ticks() != last)
            since = cpu_rdtsc();
        last = ticks();
    }
}

int guest_main(void)
{
    struct tprof_counter nameless = {.units = 1};

    if (tprof_add_counter(&requests) != TPROF_ERR_NOT_INIT)
        guest_fail("a counter before tprof_init()");
    tprof_progress(&requests, BEFORE);
    agent_init();
    must(tprof_add_counter(&requests));
    must(tprof_add_counter(&bytes));
    if (tprof_add_counter(&nameless) != TPROF_ERR_CONFIG)
        guest_fail("a counter without a name");
    core_start_others(work);
    work();
    con_printf("progress: %lu requests, %lu bytes\n", requests.units,
               bytes.units);
    if (opt_u64("stay", 0) != 0)
        wait_for_stop();
    agent_end();
    return 0;
}
