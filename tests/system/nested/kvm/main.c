/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every core works and is sampled, with what KVM offers and is asked for:
 *
 * kvm=1      config.hypervisor is tprof_kvm
 * x2apic=1   every core changes to the x2APIC before it joins
 * mine=1     the kernel has a clock page and steal pages of its own
 * cycles=N   the end, N ticks of the TSC after the beginning; without it,
 *            when it has been sampled and is no more
 *
 * At its end every core prints what it found in its registers while it was
 * sampled, and what the hypervisor's MSRs were left with.
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"

#define X2APIC_LVT_TIMER 0x832u
#define XAPIC_LVT_TIMER  0xfee00320u
#define LVT_DEADLINE     (2u << 17)
#define APIC_BASE_X2APIC (1u << 10)
#define CPUID_1_X2APIC   (1u << 21)

#define MSR_CLOCK    0x4b564d01u
#define MSR_STEAL    0x4b564d03u
#define CPUID_KVM    0x40000000u
#define KVM_LETTERS  0x4b4d564bu /* "KVMK" */
#define PAGE_WORDS   16
#define MSR_ENABLED  1u
#define FLUSH_FRAMES 4096
#define QUIET_ROUNDS 20000 /* of work without a tick: no more */

static uint64_t cycles, start_tsc;
static bool wants_x2apic, is_mine, is_kvm;
static atomic_uint initialized, joined, ended;

/* Pages that the hypervisor writes for the kernel, not for the agent. */
static _Alignas(64) volatile uint32_t clock_page[PAGE_WORDS];
static _Alignas(64) volatile uint32_t steal_page[GUEST_CORES_MAX][PAGE_WORDS];

static struct {
    uint64_t apic_base, lvt, steal;
    volatile uint64_t result;
} found[GUEST_CORES_MAX];

static void must(int error)
{
    if (error != TPROF_OK)
        guest_fail(tprof_strerror(error));
}

__attribute__((noinline)) static uint64_t work(uint64_t x)
{
    for (uint32_t i = 0; i < 2000; i++)
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
    return x;
}

static void change_to_x2apic(void)
{
    if (!(cpu_cpuid(1, 0).ecx & CPUID_1_X2APIC))
        guest_fail("kvm: this CPU has no x2APIC");
    cpu_wrmsr(CPU_MSR_APIC_BASE,
              cpu_rdmsr(CPU_MSR_APIC_BASE) | APIC_BASE_X2APIC);
}

static uint64_t read_lvt(void)
{
    if (wants_x2apic)
        return cpu_rdmsr(X2APIC_LVT_TIMER);
    return *(volatile uint32_t *)(uintptr_t)XAPIC_LVT_TIMER;
}

/* By work, not by the clock: a core that the host does not run gets no tick. */
static bool is_over(unsigned core)
{
    static struct {
        uint64_t ticks, quiet;
    } seen[GUEST_CORES_MAX];
    struct tprof_stats s;

    if (cycles)
        return cpu_rdtsc() - start_tsc >= cycles;
    must(tprof_get_stats(core, &s));
    if (s.ticks != seen[core].ticks)
        seen[core].quiet = 0;
    seen[core].ticks = s.ticks;
    return s.ticks && ++seen[core].quiet > QUIET_ROUNDS;
}

static void run_core(void)
{
    unsigned core = core_index();
    uint64_t x = core;

    if (wants_x2apic)
        change_to_x2apic();
    if (is_mine)
        cpu_wrmsr(MSR_STEAL, (uintptr_t)steal_page[core] | MSR_ENABLED);
    /* in order: TPROF_CPU_APIC numbers cores as they join */
    while (!atomic_load(&initialized) || atomic_load(&joined) != core)
        cpu_pause();
    must(tprof_start_cpu());
    atomic_fetch_add(&joined, 1);
    cpu_irq_enable();
    while (!is_over(core))
        x = work(x);
    found[core].result = x;
    found[core].apic_base = cpu_rdmsr(CPU_MSR_APIC_BASE);
    found[core].lvt = read_lvt();
    must(tprof_stop_cpu());
    found[core].steal = is_kvm ? cpu_rdmsr(MSR_STEAL) : 0;
    atomic_fetch_add(&ended, 1);
}

/* tprof_init() borrows the clock's MSR, and must give it back. */
static void init_agent(void)
{
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = (uint32_t)opt_u64("source", TPROF_CPU_GS),
        .device.command_line = opt_line(),
        .hypervisor = opt_u64("kvm", 0) ? &tprof_kvm : NULL,
    };

    if (is_mine) {
        cpu_wrmsr(MSR_CLOCK, (uintptr_t)clock_page | MSR_ENABLED);
        clock_page[0] = 0;
    }
    must(tprof_init(&config));
    if (is_kvm)
        con_printf("clock: msr %s, written again %d\n",
                   cpu_rdmsr(MSR_CLOCK) ==
                           (is_mine ? (uintptr_t)clock_page | MSR_ENABLED : 0)
                       ? "kept"
                       : "changed",
                   clock_page[0] != 0);
}

static void print_core(unsigned core)
{
    uint64_t own = (uintptr_t)steal_page[core] | MSR_ENABLED;

    con_printf("core %u: apic %s timer %s steal %s\n", core,
               found[core].apic_base & APIC_BASE_X2APIC ? "x2apic" : "xapic",
               found[core].lvt & LVT_DEADLINE ? "deadline" : "one-shot",
               found[core].steal == 0     ? "0"
               : found[core].steal == own ? "mine"
                                          : "left");
}

int guest_main(void)
{
    cycles = opt_u64("cycles", 0);
    wants_x2apic = opt_u64("x2apic", 0) != 0;
    is_mine = opt_u64("mine", 0) != 0;
    is_kvm = cpu_cpuid(CPUID_KVM, 0).ebx == KVM_LETTERS;
    core_start_others(run_core);
    if (wants_x2apic)
        change_to_x2apic(); /* tprof_init() looks */
    init_agent();
    start_tsc = cpu_rdtsc();
    atomic_store(&initialized, 1);
    run_core();
    while (atomic_load(&ended) < core_count())
        cpu_pause();
    tprof_flush(FLUSH_FRAMES);
    for (unsigned i = 0; i < core_count(); i++)
        print_core(i);
    return 0;
}
