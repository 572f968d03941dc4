/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core that looks for a host leaves, the last one to have the agent, and
 * later another core joins: the device's interrupt is to follow.
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "must.h"

#define SHORT 2000000000ull /* TSC ticks: a second or two */
#define LONG  (60 * SHORT)

static atomic_bool alone;

static void pass(uint64_t ticks)
{
    uint64_t start = cpu_rdtsc();

    while (cpu_rdtsc() - start < ticks)
        cpu_pause();
}

static void join_late(void)
{
    while (!atomic_load(&alone))
        cpu_pause();
    must(tprof_start_cpu());
    cpu_irq_enable();
    con_printf("late: joined\n");
    for (;;)
        cpu_wait();
}

int guest_main(void)
{
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .device.command_line = opt_line(),
        .transport = &tprof_vsock,
    };

    must(tprof_init(&config));
    core_start_others(join_late);
    must(tprof_start_cpu());
    cpu_irq_enable();
    pass(SHORT); /* by now the interrupt is aimed at this core */
    must(tprof_stop_cpu());
    pass(SHORT);
    atomic_store(&alone, true);
    pass(LONG);
    return 0;
}
