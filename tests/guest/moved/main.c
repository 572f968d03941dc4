/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that does not run where it was loaded, or linked: its work is 60 %
 * one function's, 20 % another's, and 20 % what that one calls.
 *
 * Options: rounds=N how much work; vsock=1 virtio-vsock is the way to the host;
 * list=0 no device is on the command line; unmapped=1 without config.map there
 * is no device; alone=1 it works without a host, and never gives way: each
 * pause lets an emulator do other things, for longer than a round of the work.
 */
#include <tprof/tprof.h>

#include "guest.h"
#include "moved.h"
#include "must.h"

#define FLUSH_FRAMES 4096

/* Two instructions (loops) times, in the function that this stands in. */
#define SPIN(loops)                                                            \
    do {                                                                       \
        uint64_t left_ = (loops);                                              \
        __asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(left_) : : "cc");       \
    } while (0)

/* Another core's turn, under icount; in the function that this stands in. */
#define GIVE_WAY()                                                             \
    do {                                                                       \
        if (!is_alone)                                                         \
            __builtin_ia32_pause();                                            \
    } while (0)

static uint64_t rounds;
static bool is_alone;

__attribute__((noinline)) static void three(void)
{
    SPIN(3000);
}

__attribute__((noinline)) static void called(void)
{
    SPIN(1000);
}

__attribute__((noinline)) static void caller(void)
{
    SPIN(1000);
    called();
    __asm__ volatile(""); /* no jump */
}

static void (*const volatile parts[])(void) = {three, caller};

__attribute__((noinline)) static void work(void)
{
    for (uint64_t i = 0; i < rounds; i++) {
        parts[0]();
        GIVE_WAY();
        parts[1]();
        GIVE_WAY();
    }
}

__attribute__((noinline)) static void wait_for_sampling(void)
{
    struct tprof_stats stats;

    do {
        __asm__ volatile("sti; hlt" : : : "memory");
        must(tprof_get_stats(core_index(), &stats));
    } while (stats.ticks == 0);
}

static void run_core(void)
{
    must(tprof_start_cpu());
    if (!is_alone)
        wait_for_sampling();
    work();
    must(tprof_stop_cpu());
}

int guest_main(void)
{
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .physical = moved_physical,
        .device.command_line = opt_u64("list", 1) ? opt_line() : NULL,
        .transport = opt_u64("vsock", 0) ? &tprof_vsock : NULL,
    };

    rounds = opt_u64("rounds", 1000);
    is_alone = opt_u64("alone", 0) != 0;
    if (opt_u64("unmapped", 0)) {
        if (tprof_init(&config) != TPROF_ERR_APIC_UNMAPPED)
            guest_fail("an APIC at its physical address");
        config.timer = TPROF_TIMER_SHARED;
        if (tprof_init(&config) != TPROF_ERR_DEVICE_UNMAPPED)
            guest_fail("a device at its physical address");
        config.timer = TPROF_TIMER_APIC;
    }
    config.map = moved_map();
    must(tprof_init(&config));
    con_printf("moved: runs at %p\n", (void *)(uintptr_t)guest_main);
    core_run_all(run_core);
    tprof_flush(FLUSH_FRAMES);
    must(tprof_exit());
    return 0;
}
