/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a core, TSC_AUX, an IDT gate and the local APIC's timer. */
#include "arch/arch.h"

#include "gate.h"
#include "isr.h"
#include "state/agent.h"

#define LEAF_TOPOLOGY 0xbu

#define CPUID_EXTENDED              0x80000000u
#define CPUID_POWER                 0x80000007u
#define CPUID_POWER_D_INVARIANT_TSC (1u << 8)

uint32_t tprof_gs_offset;
bool tprof_is_gs_numbered;
uint32_t tprof_apic_ids[TPROF_APIC_PLACES];
uint8_t tprof_apic_to_cpu[TPROF_APIC_PLACES];
uintptr_t tprof_apic_registers;
uint32_t *tprof_hook_stack[TPROF_CPUS_MAX];

static bool is_timer_ours(void)
{
    return tprof_agent.config.timer == TPROF_TIMER_APIC;
}

uint32_t tprof_ask_cpu_index(void)
{
    const struct tprof_config *c = &tprof_agent.config;
    uint32_t index = c->cpu_index(c->context);

    (void)tprof_arch_irq_save(); /* the hook may have switched interrupts on */
    return index;
}

uint32_t tprof_arch_core_id(void)
{
    struct tprof_cpuid_words topology = {0};

    if (tprof_cpuid(0).a >= LEAF_TOPOLOGY)
        topology = tprof_cpuid(LEAF_TOPOLOGY);
    return topology.b ? topology.d : tprof_cpuid(1).b >> 24;
}

bool tprof_arch_core_numbered(uint32_t *index)
{
    switch (tprof_agent.config.cpu_source) {
    case TPROF_CPU_GS:
        *index = tprof_gs32(tprof_gs_offset);
        return true;
    case TPROF_CPU_HOOK:
        *index = tprof_ask_cpu_index();
        return true;
    default:
        return false;
    }
}

/* Returns the slot of (id), or a free one: there are more slots than cores. */
static uint32_t find_id(uint32_t id)
{
    uint32_t at = id % TPROF_APIC_PLACES;

    while (tprof_apic_ids[at] != id && tprof_apic_ids[at] != UINT32_MAX)
        at = (at + 1) % TPROF_APIC_PLACES;
    return at;
}
_Static_assert(TPROF_CPUS_MAX < TPROF_APIC_PLACES && TPROF_CPUS_MAX <= 256 &&
                   TPROF_APIC_PLACES == 512,
               "a place is free always; an index fits; as isr.S has it");

uint32_t tprof_arch_core_index(void)
{
    uint32_t index;

    if (tprof_arch_core_numbered(&index))
        return index;
    if (tprof_agent.config.cpu_source == TPROF_CPU_TSC_AUX)
        return (uint32_t)tprof_rdmsr(MSR_TSC_AUX) - TPROF_TSC_AUX_FIRST;
    uint32_t id = tprof_lapic_id(&tprof_lapic);
    uint32_t at = find_id(id);

    return tprof_apic_ids[at] == id ? tprof_apic_to_cpu[at] : UINT32_MAX;
}

void tprof_arch_core_lay_out(struct tprof_cpu *cpu, uint8_t *spare)
{
    const struct tprof_config *c = &tprof_agent.config;
    uint32_t size = TPROF_ARCH_SPARE(c);

    if (c->cpu_source == TPROF_CPU_HOOK)
        tprof_hook_stack[cpu->index] = (void *)(spare + size - 64);
}

int tprof_arch_core_examine(uint32_t *hardware_id)
{
    if (is_timer_ours()) {
        int error = tprof_lapic_check(&tprof_lapic, tprof_agent.config.lapic);

        if (error != TPROF_OK)
            return error;
    }
    *hardware_id = tprof_lapic_id(&tprof_lapic);
    return TPROF_OK;
}

static void (*isr_entry(const struct tprof_config *c))(void)
{
    if (c->cpus == 1)
        return tprof_isr_single;
    switch (c->cpu_source) {
    case TPROF_CPU_GS:
        return tprof_isr_gs;
    case TPROF_CPU_TSC_AUX:
        return tprof_isr_tsc_aux;
    case TPROF_CPU_HOOK:
        return tprof_isr_hook;
    default:
        return tprof_isr_apic;
    }
}

static int install_entry(const struct tprof_config *c)
{
    if (c->install_vector)
        return c->install_vector(c->context, c->vector, isr_entry(c));
    return tprof_gate_install(c->vector, isr_entry(c));
}

/* Does the TSC count at one rate, also while the CPU saves power? */
static bool is_clock_steady(void)
{
    return tprof_cpuid(CPUID_EXTENDED).a >= CPUID_POWER &&
           (tprof_cpuid(CPUID_POWER).d & CPUID_POWER_D_INVARIANT_TSC);
}

int tprof_arch_core_join(struct tprof_cpu *cpu)
{
    const struct tprof_config *c = &tprof_agent.config;

    atomic_store_explicit(&cpu->facts,
                          is_clock_steady() ? 0 : WIRE_STATS_CLOCK_VARIES,
                          memory_order_relaxed);
    atomic_store_explicit(&cpu->arch.lent.state, 0, memory_order_relaxed);
    if (is_timer_ours()) {
        int error = install_entry(c);

        if (error != TPROF_OK)
            return error;
        if (!tprof_gate_has_stack(c->vector))
            atomic_fetch_or_explicit(&cpu->facts, WIRE_STATS_ON_STACK,
                                     memory_order_relaxed);
        tprof_lapic_claim(&tprof_lapic);
    }
    if (c->cpu_source == TPROF_CPU_TSC_AUX) {
        uint64_t ours = TPROF_TSC_AUX_FIRST + cpu->index;
        uint64_t aux = tprof_rdmsr(MSR_TSC_AUX);

        if (aux != ours) /* otherwise it was saved before the reset */
            cpu->arch.saved_tsc_aux = aux;
        tprof_wrmsr(MSR_TSC_AUX, ours);
    }
    if (c->cpu_source == TPROF_CPU_APIC) {
        uint32_t at = find_id(cpu->hardware_id);

        /* the index first: other cores may be in an interrupt */
        tprof_apic_to_cpu[at] = (uint8_t)cpu->index;
        *(volatile uint32_t *)&tprof_apic_ids[at] = cpu->hardware_id;
    }
    return TPROF_OK;
}

void tprof_arch_core_leave(struct tprof_cpu *cpu)
{
    if (is_timer_ours())
        tprof_lapic_release(&tprof_lapic);
    if (tprof_agent.config.cpu_source == TPROF_CPU_TSC_AUX)
        tprof_wrmsr(MSR_TSC_AUX, cpu->arch.saved_tsc_aux);
}

void tprof_arch_wake(uint32_t hardware_id)
{
    if (is_timer_ours())
        tprof_lapic_send(&tprof_lapic, hardware_id);
}
