/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest that works and checks its work, while its vsock device lies to the
 * agent. The agent's memory lies between pages that are not there, and what is
 * left of its last page is filled: whatever the agent touches beside its own is
 * seen.
 *
 * It ends when nothing was sampled for a while, or when what it does has taken
 * long enough, and prints of each core what it did and what the agent counted.
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "mem.h"
#include "must.h"

#define PAGE  4096u
#define SPACE (2u << 20) /* a block of its own for the kit's page_unmap() */
#define FILL  0xa5
#define LOOPS 4000u
#define QUIET 3000000000u /* TSC ticks without a tick: about a second */
#define LOOKS 20000u      /* at most, of about a millisecond */

static _Alignas(SPACE) uint8_t space[SPACE];
static struct tprof_config config = {.version = TPROF_CONFIG_VERSION,
                                     .cpu_source = TPROF_CPU_GS,
                                     .transport = &tprof_vsock};
static size_t size, end; /* of the agent's memory; of its last page */
static atomic_bool over;
static _Atomic uint64_t rounds[GUEST_CORES_MAX];

static volatile uint64_t first = 1; /* the compiler does not know the result */

/* The same number each time, if no register and no memory is touched. */
__attribute__((noinline)) static uint64_t work(void)
{
    uint64_t x = first;

    for (uint32_t i = 0; i < LOOPS; i++)
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull + i;
    return x;
}

static void set_up_memory(void)
{
    config.cpus = core_count();
    size = tprof_mem_size(&config);
    end = (PAGE + size + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (end + PAGE > SPACE)
        guest_fail("lied: too little space");
    memset(space, FILL, sizeof space);
    page_unmap((uintptr_t)space);
    page_unmap((uintptr_t)space + end);
    config.memory = space + PAGE;
    config.memory_size = size;
    config.device.command_line = opt_line();
}

static void check_memory(void)
{
    for (size_t i = PAGE + size; i < end; i++) {
        if (space[i] != FILL)
            guest_fail("lied: memory beside the agent's was written");
    }
    for (size_t i = end + PAGE; i < SPACE; i++) {
        if (space[i] != FILL)
            guest_fail("lied: memory behind the agent's was written");
    }
}

static uint64_t ticks(void)
{
    struct tprof_stats s;

    must(tprof_get_stats(0, &s));
    return s.ticks;
}

/* Until sampling has been over for long. */
static void watch(void)
{
    uint64_t before = 0, last = cpu_rdtsc();

    for (unsigned i = 0; i < LOOKS && cpu_rdtsc() - last < QUIET; i++) {
        for (int n = 0; n < 100; n++)
            (void)work();
        if (ticks() != before || before == 0)
            last = cpu_rdtsc();
        before = ticks();
        rounds[0]++;
    }
    over = true;
}

static void run(void)
{
    uint64_t right = work();
    unsigned core = core_index();

    must(tprof_start_cpu());
    cpu_irq_enable();
    if (core == 0)
        watch();
    while (!over) {
        if (work() != right)
            guest_fail("lied: work came out wrong");
        rounds[core]++;
    }
}

int guest_main(void)
{
    set_up_memory();
    must(tprof_init(&config));
    core_run_all(run);
    cpu_irq_disable();
    check_memory();
    for (unsigned core = 0; core < core_count(); core++) {
        struct tprof_stats s;

        must(tprof_get_stats(core, &s));
        con_printf("core %u: rounds %lu ticks %lu samples %lu missed %lu "
                   "full %lu reentered %lu\n",
                   core, rounds[core], s.ticks, s.samples, s.missed,
                   s.ring_full, s.reentered);
    }
    return 0;
}
