/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cores that join one after the other, the last one first, while those that
 * joined before are sampled: as in kernels whose boot core joins when all
 * others run. Nothing gives cores numbers; core n works in work_n().
 *
 * Samples go out by COM1 (boot --com1). Each core works for loops=N after it
 * has joined, and until all have.
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "must.h"

#define FLUSH_FRAMES 4096

static uint64_t loops;
static atomic_uint left; /* cores that have yet to join */

static void turn(void)
{
    for (unsigned i = 0; i < 1000; i++)
        __asm__ volatile("");
    cpu_pause(); /* another core's turn, under icount */
}

/* Work, in a function of its own for each core. */
#define WORK(n)                                                                \
    __attribute__((noinline)) static void work_##n(void)                       \
    {                                                                          \
        for (uint64_t i = 0; i < loops || atomic_load(&left) != 0; i++)        \
            turn();                                                            \
    }
WORK(0)
WORK(1)
WORK(2)
WORK(3)

static void run_core(void)
{
    static void (*const work[])(void) = {work_0, work_1, work_2, work_3};

    while (atomic_load(&left) != core_index() + 1)
        cpu_pause();
    for (uint64_t i = 0; i < loops; i++) /* the others are sampled meanwhile */
        turn();
    must(tprof_start_cpu());
    atomic_fetch_sub(&left, 1);
    cpu_irq_enable();
    work[core_index()]();
    must(tprof_stop_cpu());
}

int guest_main(void)
{
    static const struct tprof_config config = {.version = TPROF_CONFIG_VERSION,
                                               .transport = &tprof_uart};

    loops = opt_u64("loops", 20000);
    atomic_store(&left, core_count());
    must(tprof_init(&config));
    core_run_all(run_core);
    tprof_flush(FLUSH_FRAMES);
    return 0;
}
