/* SPDX-License-Identifier: BSD-2-Clause */
/* Owns the local APIC's timer of one core when it is not the agent's. */
#include "own_timer.h"

#include "cpu.h"
#include "guest.h"
#include "profile.h"

#define VECTOR 0x50
#define TSC_HZ 1000000000u /* under icount with shift=0 */

/* Intel SDM volume 3, 10.5.4. Under TCG it counts nanoseconds, as the TSC. */
#define LAPIC_BASE          0xfee00000u
#define LAPIC_LVT_TIMER     0x320
#define LAPIC_LVT_MASKED    (1u << 16)
#define LAPIC_TIMER_INITIAL 0x380 /* rw  0 stops the timer */
#define LAPIC_TIMER_DIVIDE  0x3e0
#define LAPIC_DIVIDE_BY_1   0xb

static uint64_t period, jitter, next, random;
static bool skid;
static uintptr_t skid_function;
static uint64_t skid_until;

static void lapic_write(uint32_t reg, uint32_t val)
{
    *(volatile uint32_t *)(uintptr_t)(LAPIC_BASE + reg) = val;
}

/* splitmix64: seeds that follow each other give unrelated sequences. */
static uint64_t next_random(void)
{
    uint64_t x = random += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Somewhere in a span of (ns) below 2^32. */
static uint64_t draw(uint64_t ns)
{
    return (next_random() >> 32) * ns >> 32;
}

static void arm(void)
{
    uint64_t now = cpu_rdtsc();

    do
        next += period - jitter / 2 + draw(jitter);
    while (next <= now);
    lapic_write(LAPIC_TIMER_INITIAL, (uint32_t)(next - now));
}

IDT_ENTRY(own_timer_entry, own_timer_tick);

void own_timer_tick(const struct idt_frame *frame)
{
    struct tprof_regs regs = {frame->rip, frame->rsp, frame->rbp};

    if (skid && cpu_rdtsc() < skid_until)
        regs.rip = skid_function;
    arm();
    lapic_eoi();
    tprof_tick(&regs);
}

bool own_timer_init(void)
{
    char name[16];

    opt_str("control", "", name, sizeof name);
    if (!*name)
        return false;
    profile_config.timer = TPROF_TIMER_KERNEL;
    profile_config.tsc_hz = TSC_HZ; /* nobody else measures it */
    profile_config.kernel_hz = (uint32_t)opt_u64("rate", 0);
    period = TSC_HZ / profile_config.kernel_hz;
    if (name[0] == 'j')
        jitter = period / 4;
    else if (name[0] != 'f')
        jitter = period;
    skid = name[0] == 's';
    random = opt_u64("seed", 1) << 32;
    return true;
}

void own_timer_start(void)
{
    idt_set_gate(VECTOR, own_timer_entry);
    lapic_write(LAPIC_TIMER_DIVIDE, LAPIC_DIVIDE_BY_1);
    lapic_write(LAPIC_LVT_TIMER, VECTOR);
    /* the first one is somewhere in an interval, whatever the others are */
    next = cpu_rdtsc() + draw(period);
    arm();
}

void own_timer_stop(void)
{
    lapic_write(LAPIC_LVT_TIMER, LAPIC_LVT_MASKED);
    lapic_write(LAPIC_TIMER_INITIAL, 0);
}

void own_timer_boundary(uintptr_t function, uint64_t ns)
{
    skid_function = function;
    skid_until = cpu_rdtsc() + ns;
}
