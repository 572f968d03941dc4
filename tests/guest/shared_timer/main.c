/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tickless kernel: each core's local APIC timer is one-shot, for the earliest
 * of the kernel's own deadlines and the profiler's.
 *
 * every=N    TSC ticks between two events of the kernel's (default 3700000)
 * cycles=N   how long to work, in ticks of the TSC
 * sleep=1    hlt instead of work, so that nothing but timers runs
 * hold=N     TSC ticks with interrupts off, once
 * leave=N    cores leave the profiler after so many TSC ticks, and tick on
 * serial=1  virtio-serial instead of COM1, so that a host comes and goes
 * rate=HZ, seed=N
 */
#include <tprof/tprof.h>

#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "must.h"
#include "work.h"

#define VECTOR    0x40
#define EARLY_TSC 100000

/* Local APIC registers; Intel SDM volume 3, 10.4.1. */
#define LAPIC         ((uintptr_t)0xfee00000)
#define LAPIC_TIMER   0x320
#define LAPIC_INITIAL 0x380
#define LAPIC_CURRENT 0x390
#define LAPIC_MASKED  (1u << 16)
#define LAPIC_DIVIDE  0x3e0
#define LAPIC_BY_1    0xb

static struct core {
    uint64_t next;   /* the kernel's own deadline */
    uint64_t events; /* that came */
    uint64_t worst;  /* lateness of one */
    uint64_t timers; /* interrupts */
    volatile uint64_t result;
} cores[GUEST_CORES_MAX];

static uint64_t every, cycles, hold, leave, start_tsc;
static uint64_t apic_per_tsc; /* x 2^32 */
static bool sleeps;

static void lapic_write(uint32_t reg, uint32_t value)
{
    *(volatile uint32_t *)(LAPIC + reg) = value;
}

/* How fast the APIC counts. */
static void measure_apic(void)
{
    lapic_write(LAPIC_DIVIDE, LAPIC_BY_1);
    lapic_write(LAPIC_TIMER, LAPIC_MASKED | VECTOR);
    lapic_write(LAPIC_INITIAL, UINT32_MAX);
    uint64_t start = cpu_rdtsc();
    uint64_t now;

    do
        now = cpu_rdtsc();
    while (now - start < 1000000);
    uint64_t count = UINT32_MAX - *(volatile uint32_t *)(LAPIC + LAPIC_CURRENT);

    lapic_write(LAPIC_INITIAL, 0);
    apic_per_tsc = (count << 32) / (now - start);
}

/* The one place that programs the timer. */
static void program_timer(const struct core *c)
{
    uint64_t ours = tprof_deadline();
    uint64_t deadline = c->next < ours ? c->next : ours;
    int64_t left = (int64_t)(deadline - cpu_rdtsc());

    left = left > 0 ? left : 0;
    lapic_write(LAPIC_INITIAL,
                (uint32_t)((uint64_t)left * apic_per_tsc >> 32) + 1);
}

IDT_ENTRY(timer_entry, timer);

void timer(const struct idt_frame *frame)
{
    const struct tprof_regs regs = {frame->rip, frame->rsp, frame->rbp};
    struct core *c = &cores[core_index()];
    uint64_t now = cpu_rdtsc();

    c->timers++;
    tprof_tick(&regs);
    if (now >= c->next) {
        if (now - c->next > c->worst)
            c->worst = now - c->next;
        c->events++;
        c->next += every;
    }
    program_timer(c);
    lapic_eoi();
}

/* The kernel ticks on, and tells the profiler; other cores have new orders. */
static void tick_on(void)
{
    struct tprof_stats stats;

    cpu_irq_disable();
    must(tprof_stop_cpu());
    must(tprof_get_stats(core_index(), &stats));
    cpu_irq_enable();
    uint64_t ticks = stats.ticks;

    while (cpu_rdtsc() - start_tsc < cycles)
        __asm__ volatile("hlt");
    must(tprof_get_stats(core_index(), &stats));
    if (ticks == 0 || stats.ticks != ticks)
        guest_fail("shared_timer: a core that has left is sampled");
}

static void hold_once(void)
{
    uint64_t start = cpu_rdtsc();

    cpu_irq_disable();
    while (cpu_rdtsc() - start < hold)
        cpu_pause();
    cpu_irq_enable();
}

static void run_core(void)
{
    struct core *c = &cores[core_index()];
    uint64_t x = 1;
    bool held = hold == 0;

    must(tprof_start_cpu());
    c->next = cpu_rdtsc() + every;
    lapic_write(LAPIC_DIVIDE, LAPIC_BY_1);
    lapic_write(LAPIC_TIMER, VECTOR);
    program_timer(c);
    cpu_irq_enable();
    while (cpu_rdtsc() - start_tsc < (leave ? leave : cycles)) {
        if (!held && cpu_rdtsc() - start_tsc > cycles / 2) {
            hold_once();
            held = true;
        }
        if (sleeps)
            __asm__ volatile("hlt");
        else
            x = work_one(work_three(x));
    }
    if (leave)
        tick_on();
    cpu_irq_disable();
    lapic_write(LAPIC_INITIAL, 0);
    if (!leave)
        must(tprof_stop_cpu());
    c->result = x;
}

/* The kernel's timer runs before there is a profiler. */
static void wait_for_event(void)
{
    volatile struct core *c = &cores[0];

    lapic_write(LAPIC_TIMER, VECTOR);
    c->next = cpu_rdtsc() + EARLY_TSC;
    program_timer(&cores[0]);
    cpu_irq_enable();
    while (c->events == 0) {
        if (c->timers > 2)
            guest_fail("shared_timer: the timer fires without end");
        cpu_pause();
    }
    cpu_irq_disable();
    lapic_write(LAPIC_INITIAL, 0);
    cores[0] = (struct core){0};
}

static void print_own(unsigned core)
{
    con_printf("%lu events, %lu late, %lu timers", cores[core].events,
               cores[core].worst, cores[core].timers);
}

int guest_main(void)
{
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = (uint32_t)opt_u64("rate", 0),
        .cpus = core_count(),
        .cpu_source = TPROF_CPU_GS,
        .timer = TPROF_TIMER_SHARED,
        .tsc_hz = opt_u64("tsc_hz", 1000000000), /* as under icount */
        .seed = opt_u64("seed", 0),
        .device.command_line = opt_line(),
        .transport = opt_u64("serial", 0) ? NULL : &tprof_uart,
    };

    every = opt_u64("every", 3700000);
    cycles = opt_u64("cycles", 1000000000);
    sleeps = opt_u64("sleep", 0);
    hold = opt_u64("hold", 0);
    leave = opt_u64("leave", 0);
    measure_apic();
    idt_set_gate(VECTOR, timer_entry);
    wait_for_event();
    must(tprof_init(&config));
    start_tsc = cpu_rdtsc();
    core_run_all(run_core);
    agent_print_stats(print_own);
    return 0;
}
