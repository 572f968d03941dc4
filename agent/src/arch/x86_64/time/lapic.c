/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds, measures and claims the local APIC's timer. */
#include "time/lapic.h"

#include "arch/arch.h"
#include "state/agent.h"

#define CPUID_1_C_DEADLINE (1u << 24)
#define CPUID_1_D_APIC     (1u << 9)
#define PER_TSC_ONE        ((uint64_t)1 << 32)
#define SEND_POLLS         1000
#define MEASURE_SPAN       (1u << 20) /* TSC ticks */
#define MEASURE_TRIES      8
#define MEASURE_LOOPS      (1u << 24) /* ends the loop if the TSC stands still */

struct tprof_lapic tprof_lapic;

uint32_t tprof_lapic_read(const struct tprof_lapic *l, uint32_t reg)
{
    if (l->registers)
        return *tprof_lapic_at(l->registers, reg);
    return (uint32_t)tprof_rdmsr(MSR_X2APIC + reg);
}

void tprof_lapic_write(const struct tprof_lapic *l, uint32_t reg,
                       uint32_t value)
{
    if (l->registers)
        *tprof_lapic_at(l->registers, reg) = value;
    else
        tprof_wrmsr(MSR_X2APIC + reg, value);
}

bool tprof_lapic_is_used(const struct tprof_lapic *l)
{
    uint32_t lvt = tprof_lapic_read(l, LAPIC_LVT_TIMER);
    uint32_t own = lvt & LAPIC_LVT_VECTOR;

    /* with an exception's vector, or vector 0, there is no interrupt */
    return !(lvt & LAPIC_LVT_MASKED) && own != tprof_lapic.vector &&
           own >= 16 && !tprof_agent.config.take_timer;
}

int tprof_lapic_init(struct tprof_lapic *l, uint64_t address)
{
    struct tprof_cpuid_words cpu = tprof_cpuid(1);
    uint64_t base = tprof_rdmsr(MSR_APIC_BASE);

    /* CPUID does not show an APIC that is off; its address shows that there is
     * one */
    if (!(cpu.d & CPUID_1_D_APIC))
        return base & APIC_BASE_ADDRESS ? TPROF_ERR_APIC_OFF : TPROF_ERR_APIC;
    l->deadline = (cpu.c & CPUID_1_C_DEADLINE) != 0;
    l->registers = 0;
    if (!(base & APIC_BASE_X2APIC)) {
        l->registers = address ? address : base & APIC_BASE_ADDRESS;
        /* access an exact register: an access between registers is an error,
         * too */
        if (tprof_probe_faults(l->registers + 16 * LAPIC_ID, 1, 0))
            return TPROF_ERR_APIC_UNMAPPED;
    }
    l->usable = true;
    return tprof_lapic_is_used(l) ? TPROF_ERR_TIMER_TAKEN : TPROF_OK;
}

int tprof_lapic_check(const struct tprof_lapic *l, uint64_t address)
{
    struct tprof_lapic here;
    int error = tprof_lapic_init(&here, address);

    if (error == TPROF_OK &&
        (here.registers != l->registers ||
         !(tprof_lapic_read(l, LAPIC_SPURIOUS) & LAPIC_ENABLED)))
        error = TPROF_ERR_APIC_OFF;
    return error;
}

/* Sets the timer up and loads (count); 0 stops it. A count that ends meanwhile
 * may already interrupt at the vector of (lvt). */
static void set_up(const struct tprof_lapic *l, uint32_t divide, uint32_t lvt,
                   uint32_t count)
{
    tprof_lapic_write(l, LAPIC_TIMER_DIVIDE, divide);
    tprof_lapic_write(l, LAPIC_LVT_TIMER, lvt);
    tprof_lapic_write(l, LAPIC_TIMER_INITIAL, count);
}

/* Measures once. Returns the TSC ticks that the beginning and the end of the
 * measurement took: the greatest error of the result. */
static uint64_t measure_once(struct tprof_lapic *l, uint64_t *per_tsc)
{
    uint64_t before = tprof_rdtsc();

    tprof_lapic_write(l, LAPIC_TIMER_INITIAL, UINT32_MAX);

    uint64_t start = tprof_rdtsc();
    uint64_t last = start;

    for (uint32_t i = 0; last - start < MEASURE_SPAN && i < MEASURE_LOOPS;
         i++) {
        tprof_arch_relax();
        last = tprof_rdtsc();
    }
    uint32_t counted = UINT32_MAX - tprof_lapic_read(l, LAPIC_TIMER_CURRENT);
    uint64_t now = tprof_rdtsc();

    *per_tsc = now == start ? 0 : ((uint64_t)counted << 32) / (now - start);
    return start - before + now - last;
}

/* Takes the best of several measurements, because a hypervisor may run other
 * guests in between. */
static void measure(struct tprof_lapic *l)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < MEASURE_TRIES && least > MEASURE_SPAN / 64; i++) {
        uint64_t per_tsc;
        uint64_t ends = measure_once(l, &per_tsc);

        if (ends < least) {
            least = ends;
            l->per_tsc = per_tsc;
        }
    }
}

int tprof_lapic_measure(struct tprof_lapic *l)
{
    uint32_t divide = tprof_lapic_read(l, LAPIC_TIMER_DIVIDE);
    uint32_t lvt = tprof_lapic_read(l, LAPIC_LVT_TIMER);
    uint32_t count = tprof_lapic_read(l, LAPIC_TIMER_CURRENT);

    set_up(l, LAPIC_DIVIDE_BY_1,
           LAPIC_LVT_MASKED | LAPIC_LVT_ONE_SHOT | l->vector, 0);
    measure(l);
    set_up(l, divide, lvt, count);
    if (l->per_tsc == 0)
        return TPROF_ERR_TIMER;
    /* the short way needs a timer that is no faster than the TSC */
    l->one_shot = l->deadline || l->per_tsc > PER_TSC_ONE ? 0 : l->registers;
    return TPROF_OK;
}

uint32_t tprof_lapic_id(const struct tprof_lapic *l)
{
    if (!l->usable)
        return 0;
    return l->registers ? tprof_lapic_read(l, LAPIC_ID) >> 24
                        : tprof_lapic_read(l, LAPIC_ID);
}

uint32_t tprof_lapic_arm(const struct tprof_lapic *l, uint64_t deadline)
{
    uint64_t left = deadline - tprof_rdtsc();

    if (l->deadline) {
        tprof_wrmsr(MSR_TSC_DEADLINE, deadline);
        return 0;
    }
    if ((int64_t)left < 0)
        left = 0;
    uint64_t count = (uint64_t)((tprof_u128)left * l->per_tsc >> 32) + 1;

    if (count > UINT32_MAX)
        count = UINT32_MAX; /* fires early: the tick arms it again */
    if (deadline == 0)
        count = 0;
    tprof_lapic_write(l, LAPIC_TIMER_INITIAL, (uint32_t)count);
    return (uint32_t)count;
}

void tprof_lapic_claim(const struct tprof_lapic *l)
{
    uint32_t mode = l->deadline ? LAPIC_LVT_TSC_DEADLINE : LAPIC_LVT_ONE_SHOT;

    set_up(l, LAPIC_DIVIDE_BY_1, mode | l->vector, 0);
    /* the SDM requires that the mode is in force before the deadline is written
     */
    __asm__ volatile("mfence" : : : "memory");
}

void tprof_lapic_release(const struct tprof_lapic *l)
{
    if (tprof_lapic_is_used(l))
        return;
    if (l->deadline)
        tprof_wrmsr(MSR_TSC_DEADLINE, 0);
    else
        tprof_lapic_write(l, LAPIC_TIMER_INITIAL, 0);
    tprof_lapic_write(l, LAPIC_LVT_TIMER, LAPIC_LVT_MASKED | l->vector);
}

/* Sends (command) to the core with (apic_id). */
static void send(const struct tprof_lapic *l, uint32_t apic_id,
                 uint32_t command)
{
    if (!l->registers) {
        /* unlike a store, WRMSR does not wait for stores before it */
        __asm__ volatile("mfence; lfence" : : : "memory");
        tprof_wrmsr(MSR_X2APIC + LAPIC_ICR_LOW,
                    (uint64_t)apic_id << 32 | command);
        return;
    }
    uint64_t flags = tprof_arch_irq_save();

    for (int i = 0; i < SEND_POLLS; i++) {
        if (!(tprof_lapic_read(l, LAPIC_ICR_LOW) & LAPIC_ICR_BUSY))
            break;
        tprof_arch_relax();
    }
    /* restore ICR_HIGH below: this code may have interrupted the kernel between
     * writing ICR_HIGH and ICR_LOW */
    uint32_t high = tprof_lapic_read(l, LAPIC_ICR_HIGH);

    tprof_lapic_write(l, LAPIC_ICR_HIGH, apic_id << 24);
    tprof_lapic_write(l, LAPIC_ICR_LOW, command);
    tprof_lapic_write(l, LAPIC_ICR_HIGH, high);
    tprof_arch_irq_restore(flags);
}

void tprof_lapic_send(const struct tprof_lapic *l, uint32_t apic_id)
{
    send(l, apic_id, LAPIC_ICR_FIXED | l->vector);
}

void tprof_lapic_send_nmi(const struct tprof_lapic *l, uint32_t apic_id)
{
    send(l, apic_id, LAPIC_ICR_NMI);
}
