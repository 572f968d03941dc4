/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel keeps the local APIC's timer for itself, with a fixed tick on
 * each core, and hands the profiler what each tick interrupted.
 *
 * khz=HZ     the kernel's tick (default 4000); the APIC counts nanoseconds
 * cycles=N   end after N ticks of the TSC (default 0: never)
 * host=0     a channel of our own on which no host ever comes
 * rate=HZ, depth=FRAMES, tsc_hz=HZ
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "must.h"

#define VECTOR       0x40
#define FLUSH_FRAMES 4096

/* Local APIC registers; Intel SDM volume 3, 10.4.1. */
#define LAPIC          ((uintptr_t)0xfee00000)
#define LAPIC_TIMER    0x320
#define LAPIC_PERIODIC (1u << 17)
#define LAPIC_INITIAL  0x380
#define LAPIC_DIVIDE   0x3e0
#define LAPIC_BY_1     0xb
#define APIC_HZ        1000000000u

static uint32_t kernel_hz;
static uint64_t cycles, start_tsc;
static atomic_ullong kernel_ticks;
static volatile uint64_t results[GUEST_CORES_MAX];

static void lapic_write(uint32_t reg, uint32_t value)
{
    *(volatile uint32_t *)(LAPIC + reg) = value;
}

IDT_ENTRY(tick_entry, tick);

void tick(const struct idt_frame *frame)
{
    struct tprof_regs regs = {frame->rip, frame->rsp, frame->rbp};

    kernel_ticks++;
    lapic_eoi();
    tprof_tick(&regs);
}

static void start_ticking(void)
{
    lapic_write(LAPIC_DIVIDE, LAPIC_BY_1);
    lapic_write(LAPIC_TIMER, LAPIC_PERIODIC | VECTOR);
    lapic_write(LAPIC_INITIAL, APIC_HZ / kernel_hz);
}

__attribute__((noinline)) static uint64_t mix(uint64_t x, uint32_t loops)
{
    for (uint32_t i = 0; i < loops; i++)
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
    return x;
}

static void run_core(void)
{
    uint64_t x = 1;

    must(tprof_start_cpu());
    start_ticking();
    cpu_irq_enable();
    while (cycles == 0 || cpu_rdtsc() - start_tsc < cycles)
        x = mix(x, 1000);
    lapic_write(LAPIC_INITIAL, 0);
    must(tprof_stop_cpu());
    results[core_index()] = x;
}

int guest_main(void)
{
    kernel_hz = (uint32_t)opt_u64("khz", 4000);
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = (uint32_t)opt_u64("rate", 0),
        .max_frames = (uint32_t)opt_u64("depth", 0),
        .cpus = core_count(),
        .cpu_source = TPROF_CPU_GS,
        .timer = TPROF_TIMER_KERNEL,
        .kernel_hz = kernel_hz,
        .tsc_hz = opt_u64("tsc_hz", 0),
        .device.command_line = opt_line(),
    };
    struct tprof_stats stats;

    cycles = opt_u64("cycles", 0);
    if (!opt_u64("host", 1))
        config.channel = &agent_lonely_channel;
    idt_set_gate(VECTOR, tick_entry);
    must(tprof_init(&config));
    start_tsc = cpu_rdtsc();
    core_run_all(run_core);
    tprof_flush(FLUSH_FRAMES);
    must(tprof_get_stats(0, &stats));
    con_printf("counted: kernel %lu ticks %lu looks %u\n",
               (uint64_t)kernel_ticks, stats.ticks, agent_looks());
    return 0;
}
