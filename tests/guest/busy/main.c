/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every core works without end, or until it has done enough, and is sampled.
 *
 * cycles=N   end after N ticks of the TSC (default 0: never)
 * poll=1     core 0 calls tprof_poll() between two pieces of work
 * idle=1     sleep instead of working
 * hold=N     N loops of 8 instructions with interrupts off in each piece
 * tiny=1     nothing but a function that calls a tiny one (work_tiny)
 * map=1      tell of an image, which is nobody's code
 * end=1      end when a byte comes at COM1 (boot --com1)
 * and those of setup.h. At its end every core prints what the profiler counted
 * there, and how many interrupts came through our own gate.
 */
#include <stdatomic.h>

#include "cpu.h"
#include "guest.h"
#include "must.h"
#include "setup.h"
#include "work.h"

#define FLUSH_FRAMES 4096 /* more than all rings hold */

#define COM1_STATUS 0x3fd /* r */
#define COM1_READY  0x01  /* a byte has come */

static uint64_t cycles, hold, start_tsc;
static bool polls, idles, obeys, is_tiny;
static atomic_bool told;                           /* to end */
static volatile uint64_t results[GUEST_CORES_MAX]; /* so that all is done */

/* A chain of (depth) more callers. NOLINTNEXTLINE(misc-no-recursion) */
__attribute__((noinline)) static uint64_t work_below(uint64_t x, uint32_t depth)
{
    x = depth > 0 ? work_below(x, depth - 1) : work_one(x);
    __asm__ volatile("" : "+r"(x)); /* no compiler makes a loop of this */
    return x + 1;
}

__attribute__((noinline)) static uint64_t work_silent(uint64_t x)
{
    uint64_t flags = cpu_irq_save();

    x = mix(x, (uint32_t)hold);
    cpu_irq_restore(flags);
    return x;
}

/* A function of one block. */
__attribute__((noinline)) static uint64_t tiny(void)
{
    return results[0];
}

/* Some 100 instructions in one block, before each call of tiny(). */
__attribute__((noinline)) static uint64_t work_tiny(uint64_t x)
{
    for (uint32_t i = 0; i < 1000; i++) {
        __asm__ volatile(".rept 25\n"
                         "add %1, %0\n"
                         "rol $7, %0\n"
                         "xor %1, %0\n"
                         "not %0\n"
                         ".endr"
                         : "+r"(x)
                         : "r"((uint64_t)i));
        x += tiny();
    }
    return x;
}

static bool is_over(void)
{
    if (obeys && core_index() == 0 && cpu_in8(COM1_STATUS) & COM1_READY)
        atomic_store_explicit(&told, true, memory_order_relaxed);
    return (cycles != 0 && cpu_rdtsc() - start_tsc >= cycles) ||
           atomic_load_explicit(&told, memory_order_relaxed);
}

static void work(void)
{
    uint64_t x = core_index();

    for (uint32_t i = 0; !is_over(); i++) {
        if (idles) {
            cpu_wait();
            continue;
        }
        if (is_tiny) {
            x = work_tiny(x);
            continue;
        }
        x = work_three(x);
        x = work_below(x, i % 16);
        if (hold)
            x = work_silent(x);
        if (polls && core_index() == 0)
            tprof_poll();
        /* Under icount QEMU runs one core at a time, and 7.2 changes over at a
         * pause, or else when a timer makes it: then a core may starve. */
        cpu_pause();
    }
    results[core_index()] = x;
}

static void print_counts(unsigned core)
{
    struct tprof_stats s;

    must(tprof_get_stats(core, &s));
    con_printf("core %u: apic %u ticks %lu samples %lu missed %lu ring_full "
               "%lu reentered %lu foreign %lu\n",
               core, s.apic_id, s.ticks, s.samples, s.missed, s.ring_full,
               s.reentered, s.foreign);
}

static void run_core(void)
{
    must(tprof_start_cpu());
    cpu_irq_enable();
    work();
    must(tprof_stop_cpu());
}

int guest_main(void)
{
    struct tprof_config config;

    cycles = opt_u64("cycles", 0);
    hold = opt_u64("hold", 0);
    polls = opt_u64("poll", 0);
    idles = opt_u64("idle", 0);
    is_tiny = opt_u64("tiny", 0);
    obeys = opt_u64("end", 0);
    setup_config(&config);
    must(tprof_init(&config));
    if (opt_u64("map", 0))
        must(tprof_map(&(const struct tprof_mapping){
            .name = "image",
            .start = (uintptr_t)results,
            .size = sizeof results,
        }));
    start_tsc = cpu_rdtsc();
    core_run_all(run_core);
    tprof_flush(FLUSH_FRAMES);
    for (unsigned i = 0; i < core_count(); i++)
        print_counts(i);
    con_printf("entries %lu\n", counted_entries);
    return 0;
}
