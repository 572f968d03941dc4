/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel with a scheduler and a timer of its own: each core has three
 * threads, and takes the core from them in the very handler that has told the
 * profiler of the tick. They get 1, 2 and 5 slices in turn, so that is what
 * their shares must be; and who runs on whose stack shows in the names.
 *
 * oneshot=1  the timer is set anew by each tick, not periodic
 * nest=1     the handler lets interrupts in, sends itself one, and calls
 *            tprof_tick() in that, too
 * hz=HZ      the kernel's tick (default 20000)
 * cycles=N   how long, in ticks of the TSC
 * rate=HZ, seed=N
 */
#include <tprof/tprof.h>

#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "must.h"

#define VECTOR      0x40
#define NESTED      0x51 /* a higher priority */
#define APIC_HZ     1000000000u
#define THREADS     3
#define STACK_WORDS 1024
#define SAVED_WORDS 8 /* by switch.S */

/* Local APIC registers; Intel SDM volume 3, 10.4.1. */
#define LAPIC          ((uintptr_t)0xfee00000)
#define LAPIC_TIMER    0x320
#define LAPIC_PERIODIC (1u << 17)
#define LAPIC_INITIAL  0x380
#define LAPIC_DIVIDE   0x3e0
#define LAPIC_BY_1     0xb

/* switch.S */
void switch_stack(uint64_t *save, uint64_t load);
void thread_begin(void);

struct thread {
    uint64_t rsp; /* while another one runs */
    uint64_t stack[STACK_WORDS];
};

static struct core {
    struct thread thread[THREADS];
    uint64_t boot_rsp;
    unsigned running, slices; /* that it has had */
    uint64_t ticks, nested;
    volatile uint64_t result[THREADS];
} cores[GUEST_CORES_MAX];

static const unsigned weights[THREADS] = {1, 2, 5};
static uint32_t kernel_hz;
static uint64_t cycles, start_tsc;
static bool oneshot, nests;

static void lapic_write(uint32_t reg, uint32_t value)
{
    *(volatile uint32_t *)(LAPIC + reg) = value;
}

/* Keeps a call from becoming a jump, which would leave no frame. */
#define NO_TAIL_CALL() __asm__ volatile("")

/* A thread's own functions. */
#define THREAD(name, loops)                                                    \
    __attribute__((noinline)) static uint64_t leaf_##name(uint64_t x)          \
    {                                                                          \
        for (uint32_t i = 0; i < (loops); i++)                                 \
            x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;                         \
        return x;                                                              \
    }                                                                          \
    __attribute__((noinline)) static uint64_t mid_##name(uint64_t x)           \
    {                                                                          \
        x = leaf_##name(x + 1);                                                \
        NO_TAIL_CALL();                                                        \
        return x;                                                              \
    }                                                                          \
    static void thread_##name(void)                                            \
    {                                                                          \
        struct core *c = &cores[core_index()];                                 \
                                                                               \
        for (;;) {                                                             \
            c->result[c->running] = mid_##name(c->result[c->running]);         \
            cpu_pause(); /* under icount the other cores' turn */              \
        }                                                                      \
    }
THREAD(a, 50)
THREAD(b, 200)
THREAD(c, 1000)

static void (*const functions[THREADS])(void) = {thread_a, thread_b, thread_c};

IDT_ENTRY(nested_entry, nested_tick);

void nested_tick(const struct idt_frame *frame)
{
    const struct tprof_regs regs = {frame->rip, frame->rsp, frame->rbp};

    cores[core_index()].nested++;
    lapic_eoi();
    tprof_tick(&regs);
}

/* Whose turn it is; interrupts are off. */
static void schedule(struct core *c)
{
    struct thread *now = &c->thread[c->running];

    if (cpu_rdtsc() - start_tsc >= cycles)
        switch_stack(&now->rsp, c->boot_rsp);
    if (++c->slices < weights[c->running])
        return;
    c->slices = 0;
    c->running = (c->running + 1) % THREADS;
    switch_stack(&now->rsp, c->thread[c->running].rsp);
}

IDT_ENTRY(tick_entry, tick);

void tick(const struct idt_frame *frame)
{
    const struct tprof_regs regs = {frame->rip, frame->rsp, frame->rbp};
    struct core *c = &cores[core_index()];

    c->ticks++;
    if (oneshot)
        lapic_write(LAPIC_INITIAL, APIC_HZ / kernel_hz);
    lapic_eoi();
    if (nests) {
        lapic_send(core_index(), NESTED);
        cpu_irq_enable();
        tprof_tick(&regs);
        cpu_irq_disable();
    } else {
        tprof_tick(&regs);
    }
    schedule(c);
}

/* As if switch_stack() had been called in thread_begin(). */
static void make_thread(struct thread *t, void (*function)(void))
{
    uint64_t *at = t->stack + STACK_WORDS - SAVED_WORDS - 1;

    at[5] = (uintptr_t)function; /* rbx */
    at[7] = (uintptr_t)thread_begin;
    t->rsp = (uintptr_t)at;
}

static void run_core(void)
{
    struct core *c = &cores[core_index()];

    for (unsigned i = 0; i < THREADS; i++)
        make_thread(&c->thread[i], functions[i]);
    must(tprof_start_cpu());
    lapic_write(LAPIC_DIVIDE, LAPIC_BY_1);
    lapic_write(LAPIC_TIMER, (oneshot ? 0 : LAPIC_PERIODIC) | VECTOR);
    lapic_write(LAPIC_INITIAL, APIC_HZ / kernel_hz);
    switch_stack(&c->boot_rsp, c->thread[0].rsp);
    lapic_write(LAPIC_INITIAL, 0);
    must(tprof_stop_cpu());
}

static void print_own(unsigned core)
{
    con_printf("%lu timers, %lu nested", cores[core].ticks, cores[core].nested);
}

int guest_main(void)
{
    kernel_hz = (uint32_t)opt_u64("hz", 20000);
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = (uint32_t)opt_u64("rate", 5000),
        .cpus = core_count(),
        .cpu_source = TPROF_CPU_GS,
        .timer = TPROF_TIMER_KERNEL,
        .kernel_hz = kernel_hz * (opt_u64("nest", 0) ? 2 : 1),
        .tsc_hz = APIC_HZ, /* as under icount */
        .seed = opt_u64("seed", 0),
        .transport = &tprof_uart,
    };

    cycles = opt_u64("cycles", 1000000000);
    oneshot = opt_u64("oneshot", 0);
    nests = opt_u64("nest", 0);
    idt_set_gate(VECTOR, tick_entry);
    idt_set_gate(NESTED, nested_entry);
    must(tprof_init(&config));
    start_tsc = cpu_rdtsc();
    core_run_all(run_core);
    agent_print_stats(print_own);
    return 0;
}
