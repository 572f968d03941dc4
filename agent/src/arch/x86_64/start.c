/* SPDX-License-Identifier: BSD-2-Clause */
/* The timer, a vector, and the abilities of the CPU, for tprof_init(). */
#include "arch/arch.h"

#include "gate.h"
#include "isr.h"
#include "state/agent.h"
#include "state/reach.h"

/* Vectors from here on are the kernel's, by custom. */
#define VECTOR_END 0xf0u

#define CPUID_1_C_SSE42       (1u << 20)
#define CPUID_1_C_RDRAND      (1u << 30)
#define CPUID_EXTENDED_1      0x80000001u
#define CPUID_EXTENDED_RDTSCP (1u << 27)

static bool is_zero(const uint64_t *at, size_t count)
{
    bool zero;

    __asm__ volatile("repe scasq"
                     : "=@ccz"(zero), "+D"(at), "+c"(count)
                     : "a"(0ull)
                     : "memory");
    return zero;
}

int tprof_arch_prove(const struct tprof_image *image)
{
    const struct tprof_agent *a = &tprof_agent;

    /* an unknown image ends at the highest address */
    bool inside = (uintptr_t)(a + 1) - 1 <= (uintptr_t)image->image_end - 1;
    bool loaded = (uint32_t)tprof_mix_factor == (uint32_t)TPROF_MIX_FACTOR;

    /* in this order, because memory outside the image may not even be mapped */
    return inside && loaded &&
                   (a->config.version == TPROF_CONFIG_VERSION ||
                    is_zero((const void *)a, sizeof *a / sizeof(uint64_t)))
               ? TPROF_OK
               : TPROF_ERR_IMAGE;
}

void tprof_arch_begin(void)
{
    tprof_probe_begin();
}

int tprof_arch_take_vector(uint32_t vector, void (*entry)(void))
{
    return tprof_gate_take(vector, entry);
}

static int find_timer(struct tprof_config *c)
{
    int vector = (int)c->vector;
    uint64_t base = tprof_rdmsr(MSR_APIC_BASE);

    if (c->map && c->lapic == 0 && !(base & APIC_BASE_X2APIC))
        c->lapic = tprof_reach(base & APIC_BASE_ADDRESS, LAPIC_SIZE);
    int error = tprof_lapic_init(&tprof_lapic, c->lapic);

    if (c->timer != TPROF_TIMER_APIC)
        return TPROF_OK; /* the APIC is needed only for its id, if at all */
    if (error != TPROF_OK)
        return error;
    if (vector == 0)
        vector = tprof_gate_find(VECTOR_END);
    if (vector < 0)
        return vector;
    c->vector = (uint32_t)vector;
    tprof_lapic.vector = (uint8_t)vector;
    return tprof_lapic_measure(&tprof_lapic);
}

int tprof_arch_init(struct tprof_config *c)
{
    tprof_lapic = (struct tprof_lapic){0};
    /* not every CPU has RDTSCP, but every CPU has this CPUID leaf */
    if (c->cpu_source == TPROF_CPU_TSC_AUX &&
        !(tprof_cpuid(CPUID_EXTENDED_1).d & CPUID_EXTENDED_RDTSCP))
        c->cpu_source = TPROF_CPU_APIC;
    return find_timer(c);
}

void tprof_arch_ready(void)
{
    for (uint32_t i = 0; i < TPROF_APIC_PLACES; i++)
        tprof_apic_ids[i] = UINT32_MAX;
    tprof_gs_offset = tprof_agent.config.gs_cpu_offset;
    tprof_is_gs_numbered = tprof_agent.config.cpu_source == TPROF_CPU_GS;
    tprof_apic_registers = tprof_lapic.registers;
}

void tprof_arch_exit(void)
{
    tprof_is_gs_numbered = false;
    for (uint32_t i = 0; i < TPROF_CPUS_MAX; i++)
        tprof_hook_stack[i] = NULL;
}

uint64_t tprof_arch_random(void)
{
    uint64_t value = 0;

    if (tprof_cpuid(1).c & CPUID_1_C_RDRAND)
        __asm__ volatile("rdrand %0" : "=r"(value)); /* 0: none is ready */
    return value;
}

bool tprof_arch_has_crc32c(void)
{
    return (tprof_cpuid(1).c & CPUID_1_C_SSE42) != 0;
}
