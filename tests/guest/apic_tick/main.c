/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel whose clock is the local APIC's timer: each core ticks by it, and
 * compares its ticks with the TSC, whatever the profiler does meanwhile.
 *
 * mode=   how it ticks
 *   periodic  the timer's own period
 *   oneshot   the handler loads the next count
 *   deadline  the handler writes the next TSC deadline
 * agent=  what the profiler is told
 *   none      nothing: there is none
 *   init      config.timer is 0: tprof_init() refuses
 *   start     ... and tprof_start_cpu() does, since no core ticked before
 *   late      ... and the kernel begins to tick after both, and later ends
 *   take      config.take_timer: the kernel's clock stops, as it asked for
 *   shared    config.timer is TPROF_TIMER_SHARED, by tprof/lapic_shared.h
 *   kernel    config.timer is TPROF_TIMER_KERNEL, and ticks come 8 times as
 *             often as the kernel needs them
 * lent=1      with config.lending
 * hz=N        ticks a second (default 1000)
 * late=N      ns by which a tick may come late (default 20000)
 * ms=N        how long (default 500)
 * hold=N      us with interrupts off, once
 * icount=1    the TSC counts nanoseconds, exactly
 * few=1       a host that is busy may cost most samples
 * rate=HZ
 */
#include <tprof/lapic_shared.h>
#include <tprof/tprof.h>

#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "mem.h"
#include "must.h"
#include "work.h"

#define VECTOR    0x40
#define FASTER    8u /* agent=kernel */
#define APIC_HZ   1000000000u
#define FRAMES    4096u
#define PIT_HZ    1193182u
#define PIT_TICKS 59659u /* 50 ms */

/* Local APIC registers; Intel SDM volume 3, 10.4.1. */
#define LAPIC            ((uintptr_t)0xfee00000)
#define LAPIC_TIMER      0x320
#define LAPIC_PERIODIC   (1u << 17)
#define LAPIC_DEADLINE   (2u << 17)
#define LAPIC_MASKED     (1u << 16)
#define LAPIC_INITIAL    0x380
#define LAPIC_DIVIDE     0x3e0
#define LAPIC_BY_1       0xb
#define MSR_TSC_DEADLINE 0x6e0

enum mode { PERIODIC, ONESHOT, DEADLINE };
enum agent { NONE, INIT, START, LATE, TAKE, SHARED, KERNEL };

static struct core {
    uint64_t began, next; /* TSC */
    uint64_t ticks, worst, interrupts;
    struct tprof_shared_core shared;
    volatile uint64_t result;
} cores[GUEST_CORES_MAX];

static struct tprof_shared_timer timer = {.registers = LAPIC};
static enum mode mode;
static enum agent agent;
static uint64_t hz, tsc_hz, period, run, hold, slack;
static uint32_t rate;
static bool held;

static void lapic_write(uint32_t reg, uint32_t value)
{
    *(volatile uint32_t *)(LAPIC + reg) = value;
}

static bool is_same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static unsigned choose(const char *option, const char *const *names)
{
    char name[16];

    opt_str(option, names[0], name, sizeof name);
    for (unsigned i = 0; names[i]; i++)
        if (is_same(names[i], name))
            return i;
    guest_fail("apic_tick: no such choice");
}

/* --- The kernel's clock --------------------------------------------------- */

/* One more tick of the kernel's, which was due at (c->next). */
static void kernel_tick(struct core *c)
{
    uint64_t now = cpu_rdtsc();

    if (now > c->next && now - c->next > c->worst)
        c->worst = now - c->next;
    c->ticks++;
    c->next += period;
}

/* The handler loads what is left, so that no time is lost. */
static void load_next(const struct core *c)
{
    int64_t left = (int64_t)(c->next - cpu_rdtsc());

    if (mode == DEADLINE)
        cpu_wrmsr(MSR_TSC_DEADLINE, c->next);
    else if (mode == ONESHOT)
        lapic_write(
            LAPIC_INITIAL,
            left > 0
                ? (uint32_t)((uint64_t)left * timer.counts_per_tsc >> 32) + 1
                : 1);
}

IDT_ENTRY(tick_entry, tick);

void tick(const struct idt_frame *frame)
{
    const struct tprof_regs regs = {frame->rip, frame->rsp, frame->rbp};
    struct core *c = &cores[core_index()];

    c->interrupts++;
    if (agent == SHARED || agent == KERNEL)
        tprof_tick(&regs);
    if (agent == SHARED ? tprof_shared_is_due(&timer, &c->shared)
                        : agent != KERNEL || c->interrupts % FASTER == 0) {
        kernel_tick(c);
        if (agent != SHARED)
            load_next(c);
    }
    lapic_eoi();
}

static void begin_to_tick(struct core *c)
{
    static const uint32_t modes[] = {LAPIC_PERIODIC, 0, LAPIC_DEADLINE};
    uint32_t bits = agent == SHARED && mode == PERIODIC ? 0 : modes[mode];

    lapic_write(LAPIC_DIVIDE, LAPIC_BY_1);
    lapic_write(LAPIC_TIMER, bits | VECTOR);
    __asm__ volatile("mfence" : : : "memory");
    c->began = cpu_rdtsc();
    c->next = c->began + period;
    if (agent == SHARED)
        tprof_shared_tick_every(&timer, &c->shared, period);
    else if (mode == PERIODIC)
        lapic_write(LAPIC_INITIAL,
                    (uint32_t)(APIC_HZ / hz / (agent == KERNEL ? FASTER : 1)));
    else
        load_next(c);
}

static void end_to_tick(void)
{
    if (mode == DEADLINE)
        cpu_wrmsr(MSR_TSC_DEADLINE, 0);
    lapic_write(LAPIC_INITIAL, 0);
    lapic_write(LAPIC_TIMER, LAPIC_MASKED | VECTOR);
}

/* The TSC's rate by the PIT's channel 2, as a kernel finds it. */
static uint64_t measure_tsc(void)
{
    cpu_out8(0x61, (cpu_in8(0x61) & 0xfc) | 1); /* gate on, speaker off */
    cpu_out8(0x43, 0xb0);                       /* channel 2, mode 0 */
    cpu_out8(0x42, PIT_TICKS & 0xff);
    cpu_out8(0x42, PIT_TICKS >> 8);
    uint64_t start = cpu_rdtsc();

    while (!(cpu_in8(0x61) & 0x20))
        ;
    return (cpu_rdtsc() - start) * PIT_HZ / PIT_TICKS;
}

/* --- The profiler --------------------------------------------------------- */

static void refused(int error)
{
    if (error != TPROF_ERR_TIMER_TAKEN)
        guest_fail(error == TPROF_OK ? "apic_tick: the timer was taken"
                                     : tprof_strerror(error));
}

static void init_agent(void)
{
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = rate,
        .cpus = core_count(),
        .cpu_source = TPROF_CPU_GS,
        .timer = agent == SHARED   ? TPROF_TIMER_SHARED
                 : agent == KERNEL ? TPROF_TIMER_KERNEL
                                   : TPROF_TIMER_APIC,
        .kernel_hz = (uint32_t)hz * FASTER,
        .take_timer = agent == TAKE,
        .lending = opt_u64("lent", 0) ? &tprof_lend_timer : NULL,
        .tsc_hz = tsc_hz,
        .device.command_line = opt_line(),
        .transport = &tprof_uart,
    };
    int error = tprof_init(&config);

    if (agent == INIT)
        refused(error);
    else
        must(error);
}

static void join(void)
{
    int error = tprof_start_cpu();

    if (agent == INIT && error != TPROF_ERR_NOT_INIT)
        guest_fail("apic_tick: joined without tprof_init()");
    if (agent == START)
        refused(error);
    else if (agent != INIT)
        must(error);
}

static uint64_t profiler_ticks(void)
{
    struct tprof_stats stats;

    must(tprof_get_stats(core_index(), &stats));
    return stats.ticks;
}

/* --- A core --------------------------------------------------------------- */

static void work_until(struct core *c, uint64_t end)
{
    uint64_t x = c->result + 1;

    while (cpu_rdtsc() < end) {
        if (hold && !held && core_index() == 0 && cpu_rdtsc() > end - run / 2) {
            held = true;
            cpu_irq_disable();
            for (uint64_t on = cpu_rdtsc() + hold; cpu_rdtsc() < on;)
                cpu_pause();
            cpu_irq_enable();
        }
        x = work_one(work_three(x));
        if (agent == LATE)
            tprof_poll(); /* somebody looks after the timers */
        cpu_pause();      /* under icount the other cores' turn */
    }
    c->result = x;
}

/* As many ticks as the time has, and none late. */
static void check_clock(const struct core *c)
{
    uint64_t expected = (cpu_rdtsc() - c->began) / period;
    bool stops = agent == TAKE;

    con_printf("apic_tick: core %u %lu ticks of %lu, worst %lu, %lu "
               "interrupts\n",
               core_index(), c->ticks, expected, c->worst, c->interrupts);
    /* those that may be late are on their way in the end */
    if (stops ? c->ticks > 1
              : c->ticks + 1 + slack / period < expected ||
                    c->ticks > expected + 1)
        guest_fail("apic_tick: the kernel's clock has another rate");
    if (!stops && c->worst > slack + hold)
        guest_fail("apic_tick: a tick of the kernel's came late");
}

static void end_core(struct core *c)
{
    cpu_irq_disable();
    check_clock(c);
    if (agent == NONE || agent == INIT || agent == START) {
        end_to_tick();
        return;
    }
    uint64_t sampled = profiler_ticks();

    if (agent != LATE) {
        con_printf("apic_tick: core %u %lu samples\n", core_index(), sampled);
        if (sampled < run / (tsc_hz / rate) * (opt_u64("few", 0) ? 1 : 8) / 10)
            guest_fail("apic_tick: too few samples");
        end_to_tick();
        must(tprof_stop_cpu());
    }
}

/* The kernel needs the timer no more: the profiler goes on. */
static void go_on(struct core *c)
{
    end_to_tick();
    uint64_t before = profiler_ticks();

    cpu_irq_enable();
    while (profiler_ticks() < before + 20)
        work_until(c, cpu_rdtsc() + tsc_hz / 1000);
    cpu_irq_disable();
    must(tprof_stop_cpu());
}

static void run_core(void)
{
    struct core *c = &cores[core_index()];

    if (agent == LATE) { /* sampling has begun */
        join();
        cpu_irq_enable();
        while (profiler_ticks() < 5)
            work_until(c, cpu_rdtsc() + tsc_hz / 1000);
        cpu_irq_disable();
    }
    if (agent == SHARED)
        join();
    if (agent != INIT || core_index() != 0)
        begin_to_tick(c);
    if (agent != LATE && agent != NONE && agent != SHARED)
        join();
    cpu_irq_enable();
    work_until(c, c->began + run);
    end_core(c);
    if (agent == LATE)
        go_on(c);
}

int guest_main(void)
{
    static const char *const modes[] = {"periodic", "oneshot", "deadline",
                                        NULL};
    static const char *const agents[] = {"none", "init",   "start",  "late",
                                         "take", "shared", "kernel", NULL};

    mode = choose("mode", modes);
    agent = choose("agent", agents);
    hz = opt_u64("hz", 1000);
    tsc_hz = measure_tsc();
    if (opt_u64("icount", 0))
        tsc_hz = 1000000000;
    period = tsc_hz / hz;
    slack = opt_u64("late", 20000) * (tsc_hz / 1000000) / 1000;
    run = tsc_hz / 1000 * opt_u64("ms", 500);
    hold = opt_u64("hold", 0) * (tsc_hz / 1000000);
    rate = (uint32_t)opt_u64("rate", 997);
    timer.tsc_deadline = mode == DEADLINE;
    lapic_write(LAPIC_DIVIDE, LAPIC_BY_1);
    tprof_shared_calibrate(&timer);
    idt_set_gate(VECTOR, tick_entry);
    if (agent == INIT) {
        begin_to_tick(&cores[0]);
        cpu_irq_enable();
    }
    if (agent != NONE)
        init_agent();
    core_run_all(run_core);
    if (agent != NONE)
        tprof_flush(FRAMES);
    return 0;
}
