/* SPDX-License-Identifier: BSD-2-Clause */
/* The TSC's rate, and the emulator that makes the time pass. */
#include "arch/arch.h"

#define LEAF_TSC_CRYSTAL     0x15u
#define LEAF_FREQUENCY       0x16u
#define LEAF_HYPERVISOR      0x40000000u
#define LEAF_HYPERVISOR_HZ   0x40000010u
#define CPUID_1_C_HYPERVISOR (1u << 31)

/* first four letters of "KVMKVMKVM" and "TCGTCGTCGTCG" */
#define NAME_KVM 0x4b4d564bu
#define NAME_TCG 0x54474354u
#define APIC_HZ  1000000000u /* under KVM and TCG */

/* Returns the rate from the crystal that the CPU reports. CPUID leaves above
 * the highest reported leaf contain garbage. */
static uint64_t hz_by_crystal(void)
{
    if (tprof_cpuid(0).a < LEAF_TSC_CRYSTAL)
        return 0;
    struct tprof_cpuid_words r = tprof_cpuid(LEAF_TSC_CRYSTAL);

    return r.a ? (uint64_t)r.c * r.b / r.a : 0;
}

/* Returns the rate that the hypervisor reports, or the rate by its APIC
 * timer. */
static uint64_t hz_by_hypervisor(void)
{
    uint64_t apic_per_tsc = tprof_lapic.per_tsc;
    uint64_t hz = 0;

    if (!(tprof_cpuid(1).c & CPUID_1_C_HYPERVISOR))
        return 0;
    struct tprof_cpuid_words h = tprof_cpuid(LEAF_HYPERVISOR);

    if (h.a >= LEAF_HYPERVISOR_HZ && h.a < LEAF_HYPERVISOR + 0x100)
        hz = (uint64_t)tprof_cpuid(LEAF_HYPERVISOR_HZ).a * 1000; /* in kHz */
    if (hz == 0 && apic_per_tsc != 0 && (h.b == NAME_KVM || h.b == NAME_TCG))
        hz = ((uint64_t)APIC_HZ << 32) / apic_per_tsc;
    return hz;
}

/* Returns the rate. The CPU's nominal frequency comes last, because under a
 * hypervisor it may belong to another CPU, on which the guest was started. */
uint64_t tprof_arch_clock_hz(void)
{
    uint64_t hz = hz_by_hypervisor();

    if (hz == 0)
        hz = hz_by_crystal();
    if (hz == 0 && tprof_cpuid(0).a >= LEAF_FREQUENCY)
        hz = (uint64_t)(tprof_cpuid(LEAF_FREQUENCY).a & 0xffff) * 1000000u;
    return hz;
}

/* Without a hypervisor the leaf has other words, which do not spell a name. */
bool tprof_arch_in_blocks(void)
{
    return tprof_cpuid(LEAF_HYPERVISOR).b == NAME_TCG;
}
