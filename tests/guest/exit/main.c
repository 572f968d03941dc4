/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that lets the profiler go, as before a kexec. Two cores work until a
 * host has taken some samples of both. Then core 1 leaves, core 0 calls
 * tprof_exit(), and the kernel uses the memory for something else; meanwhile
 * the host goes on trying to connect. After a second every byte must be as the
 * kernel left it. Then all begins anew, and the guest ends when the host has
 * had samples once more.
 *
 * transport=vsock   not virtio-serial
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "must.h"

#define PATTERN 0x7755aa33u
#define SAMPLES 300 /* of each core */

static _Alignas(64) uint32_t memory[(600ul * 1024) / 4];
static _Atomic unsigned phase; /* even: core 1 is in; odd: it has left */
static _Atomic bool tried; /* core 0 has tried tprof_exit() with core 1 in */

static void start(void)
{
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .memory = memory,
        .memory_size = sizeof memory,
        .cpus = 2,
        .device.command_line = opt_line(),
        .transport = agent_is_vsock() ? &tprof_vsock : NULL,
    };

    must(tprof_init(&config));
    must(tprof_start_cpu());
}

/* Works until both cores have had enough ticks. */
static void work(void)
{
    struct tprof_stats a = {0}, b = {0};

    cpu_irq_enable();
    while (a.ticks < SAMPLES || b.ticks < SAMPLES) {
        (void)tprof_get_stats(0, &a);
        (void)tprof_get_stats(1, &b);
    }
}

static void run_other(void)
{
    for (unsigned turn = 0;; turn += 2) {
        while (phase != turn)
            cpu_pause();
        must(tprof_start_cpu());
        work();
        while (!tried)
            cpu_pause();
        must(tprof_stop_cpu());
        phase++;
    }
}

static void check_memory(void)
{
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        if (memory[i] == PATTERN)
            continue;
        con_printf("exit: word %lu is 0x%x\n", i, memory[i]);
        guest_fail("memory was written after tprof_exit()");
    }
}

int guest_main(void)
{
    start();
    core_start_others(run_other);
    work();
    if (tprof_exit() != TPROF_ERR_STATE)
        guest_fail("tprof_exit() while another core is in");
    tried = true;
    while (phase == 0)
        cpu_pause();
    must(tprof_exit());
    if (tprof_exit() != TPROF_ERR_NOT_INIT)
        guest_fail("tprof_exit() a second time");
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        memory[i] = PATTERN;
    con_printf("exit: gone\n");
    uint64_t end = cpu_rdtsc() + 3000000000u;

    while (cpu_rdtsc() < end)
        cpu_pause();
    check_memory();
    con_printf("exit: untouched\n");
    start();
    phase = 2;
    work();
    while (phase == 2)
        cpu_pause();
    must(tprof_exit());
    con_printf("exit: again\n");
    return 0;
}
