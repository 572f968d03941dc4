/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each core works with interrupts off and with interrupts on, in turns. NMIs
 * sample both kinds of work where they run. Each core tells by its own clock
 * how long each kind took, and core 0 tells each core's counters.
 *
 * Options: ms=N in all; off=US and on=US of core 0, where each next core has
 * 13 % more; own=1: each core also sends NMIs of its own to itself; nmi=0: no
 * samples by NMI; those of ../accuracy/profile.h.
 */
#include <stdatomic.h>

#include "../accuracy/profile.h"
#include "cpu.h"
#include "guest.h"
#include "kit.h"
#include "must.h"

#define TSC_US 1000u /* under icount */

#define ICR_NMI (1u << 14 | 4u << 8)

static _Atomic unsigned began, ended;
static uint64_t end_tsc, off_us, on_us;
static struct {
    uint64_t masked, open;
} truth[GUEST_CORES_MAX];

/* NMIs of the guest's own, and those that its handler got */
static bool has_own;
static _Atomic uint64_t own_sent, own_seen;

IDT_ENTRY(own_entry, own_nmi);

void own_nmi(const struct idt_frame *frame)
{
    (void)frame;
    own_seen++;
}

/* Global, with frames: they are to be seen in a profile. */
void work_masked(uint64_t ticks);
void work_open(uint64_t ticks);
void unlock(void);

/* Under icount QEMU runs one core until it pauses. A core that waits for its
 * turn is sampled where it has paused. So the turns are short, and end here
 * always. */
static void spin(uint64_t ticks)
{
    uint64_t start = cpu_rdtsc();

    while (cpu_rdtsc() - start < ticks)
        cpu_pause();
}

__attribute__((noinline)) void work_masked(uint64_t ticks)
{
    spin(ticks);
}

__attribute__((noinline)) void work_open(uint64_t ticks)
{
    spin(ticks);
}

__attribute__((noinline)) void unlock(void)
{
    __asm__ volatile("sti; nop; nop; nop; nop" ::: "memory");
}

static void work(void)
{
    unsigned core = core_index();
    uint64_t off = off_us * TSC_US * (100 + 13 * core) / 100;
    uint64_t on = on_us * TSC_US * (100 + 13 * core) / 100;

    profile_begin();
    began++;
    while (began < core_count())
        cpu_pause();
    while (cpu_rdtsc() < end_tsc) {
        uint64_t start = cpu_rdtsc();

        cpu_irq_disable();
        work_masked(off);
        uint64_t middle = cpu_rdtsc();

        unlock();
        work_open(on);
        if (has_own) {
            own_sent++;
            lapic_command(core_apic_id(core), ICR_NMI);
        }
        truth[core].masked += middle - start;
        truth[core].open += cpu_rdtsc() - middle;
    }
    ended++;
    while (ended < core_count())
        cpu_pause();
    profile_end();
}

int guest_main(void)
{
    off_us = opt_u64("off", 3000);
    on_us = opt_u64("on", 7000);
    profile_config.nmi = opt_u64("nmi", 1) ? &tprof_nmi : NULL;
    has_own = opt_u64("own", 0) != 0;
    if (has_own)
        idt_set_gate(2, own_entry);
    profile_init();
    end_tsc = cpu_rdtsc() + opt_u64("ms", 1000) * 1000 * TSC_US;
    core_run_all(work);
    profile_fini();
    for (unsigned i = 0; i < core_count(); i++) {
        struct tprof_stats s;

        must(tprof_get_stats(i, &s));
        con_printf("nmi: core %u off %lu on %lu ticks %lu missed %lu full %lu "
                   "samples %lu\n",
                   i, truth[i].masked, truth[i].open, s.ticks, s.missed,
                   s.ring_full, s.samples);
    }
    if (has_own)
        con_printf("nmi: %lu NMIs of its own, %lu seen\n", (uint64_t)own_sent,
                   (uint64_t)own_seen);
    return 0;
}
