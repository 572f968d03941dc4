/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work with interrupts off and work with interrupts on, in turns. The samples
 * of the former come in unlock(), where interrupts come on again. The guest
 * tells by its own clock how long they were off.
 *
 * Options: rounds=N of off=US and on=US; those of ../accuracy/profile.h.
 */
#include "../accuracy/profile.h"
#include "cpu.h"
#include "guest.h"

#define TSC_US 1000u /* under icount */

static uint64_t off_ticks;

static void spin(uint64_t us)
{
    uint64_t start = cpu_rdtsc();

    while (cpu_rdtsc() - start < us * TSC_US)
        ;
}

/* Global, with frames: they are to be seen in a profile. */
void work_masked(uint64_t us);
void work_open(uint64_t us);
void unlock(void);

__attribute__((noinline)) void work_masked(uint64_t us)
{
    spin(us);
}

__attribute__((noinline)) void work_open(uint64_t us)
{
    spin(us);
}

__attribute__((noinline)) void unlock(void)
{
    __asm__ volatile("sti; nop; nop; nop; nop" ::: "memory");
}

int guest_main(void)
{
    uint64_t rounds = opt_u64("rounds", 100);
    uint64_t off = opt_u64("off", 3000), on = opt_u64("on", 7000);

    profile_init();
    profile_begin();
    uint64_t start = cpu_rdtsc();

    for (uint64_t i = 0; i < rounds; i++) {
        uint64_t masked = cpu_rdtsc();

        cpu_irq_disable();
        work_masked(off);
        off_ticks += cpu_rdtsc() - masked;
        unlock();
        work_open(on);
    }
    uint64_t all = cpu_rdtsc() - start;

    profile_end();
    profile_fini();
    con_printf("masked: off %lu of %lu\n", off_ticks, all);
    return 0;
}
