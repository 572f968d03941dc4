/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel whose linker script and loader are old-fashioned: old.ld, entry.S.
 * The memory from the script's symbol "end" on is its allocator's, which has
 * given all of it away before the agent begins.
 *
 * Each core works for loops=N; samples go out by COM1 (boot --com1). Prints of
 * each core its ticks, its samples and the stacks that it has described. With
 * refused=1 the agent must find that a part of it is not where it should be.
 */
#include <tprof/tprof.h>

#include "guest.h"
#include "must.h"

#define HEAP_SIZE    (4u << 20)
#define HEAP_PATTERN 0xa5a5a5a5a5a5a5a5u
#define FLUSH_FRAMES 4096

extern uint64_t end[]; /* old.ld */

static uint64_t loops;

__attribute__((noinline)) static void turn(void)
{
    uint64_t left = 1000;

    __asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(left) : : "cc");
}

__attribute__((noinline)) static void work(void)
{
    for (uint64_t i = 0; i < loops; i++) {
        turn();
        __builtin_ia32_pause(); /* another core's turn, under icount */
    }
}

static void run_core(void)
{
    must(tprof_start_cpu());
    __asm__ volatile("sti");
    work();
    must(tprof_stop_cpu());
}

static void take_heap(void)
{
    for (size_t i = 0; i < HEAP_SIZE / sizeof end[0]; i++)
        end[i] = HEAP_PATTERN;
}

static void check_heap(void)
{
    for (size_t i = 0; i < HEAP_SIZE / sizeof end[0]; i++)
        if (end[i] != HEAP_PATTERN)
            guest_fail("old: something was written into the heap");
}

int guest_main(void)
{
    static const struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .transport = &tprof_uart,
    };

    loops = opt_u64("loops", 100000);
    take_heap();
    int error = tprof_init(&config);

    if (opt_u64("refused", 0))
        return error == TPROF_ERR_IMAGE ? 0 : 1;
    must(error);
    core_run_all(run_core);
    tprof_flush(FLUSH_FRAMES);
    for (unsigned core = 0; core < core_count(); core++) {
        struct tprof_stats s;

        must(tprof_get_stats(core, &s));
        con_printf("core %u: %lu ticks, %lu samples, %lu stacks\n", core,
                   s.ticks, s.samples, s.stacks);
    }
    check_heap();
    return 0;
}
