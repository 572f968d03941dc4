/* SPDX-License-Identifier: BSD-2-Clause */
/* The TSC's rate. CPUID leaves above the greatest that a CPU states hold
 * garbage.
 */
#include "arch/arch.h"

#define LEAF_TSC_CRYSTAL     0x15u
#define LEAF_FREQUENCY       0x16u
#define LEAF_HYPERVISOR      0x40000000u
#define LEAF_HYPERVISOR_HZ   0x40000010u
#define CPUID_1_C_HYPERVISOR (1u << 31)

#define APIC_HZ 1000000000u /* under KVM and TCG */

static uint64_t hz_by_cpuid(void)
{
    uint32_t max = tprof_cpuid(0).a;

    if (max >= LEAF_TSC_CRYSTAL) {
        struct tprof_cpuid r = tprof_cpuid(LEAF_TSC_CRYSTAL);

        if (r.a && r.b && r.c)
            return (uint64_t)r.c * r.b / r.a;
    }
    if (max >= LEAF_FREQUENCY)
        return (uint64_t)(tprof_cpuid(LEAF_FREQUENCY).a & 0xffff) * 1000000u;
    return 0;
}

uint64_t tprof_arch_clock_hz(void)
{
    uint64_t apic_per_tsc = tprof_lapic.per_tsc;
    uint64_t hz = hz_by_cpuid();

    if (hz || !(tprof_cpuid(1).c & CPUID_1_C_HYPERVISOR))
        return hz;
    struct tprof_cpuid h = tprof_cpuid(LEAF_HYPERVISOR);

    if (h.a >= LEAF_HYPERVISOR_HZ && h.a < LEAF_HYPERVISOR + 0x100)
        hz = (uint64_t)tprof_cpuid(LEAF_HYPERVISOR_HZ).a * 1000; /* in kHz */
    if (hz || apic_per_tsc == 0)
        return hz;
    /* of "KVMKVMKVM" and "TCGTCGTCGTCG" the first four letters */
    if (h.b == 0x4b4d564bu || h.b == 0x54474354u)
        return ((uint64_t)APIC_HZ << 32) / apic_per_tsc;
    return 0;
}
