/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts that KVM reports: the TSC's rate, and time that it took from a core. */
#include "arch/arch.h"
#include "time/kvm_regs.h"
#include "time/pvclock.h"

#define CPUID_1_C_HYPERVISOR (1u << 31)

/* Is the guest's memory encrypted, or hidden from the host? Then pages that KVM
 * fills read as garbage, and under TDX these MSRs fault. */
static bool is_memory_private(void)
{
    if (tprof_cpuid(0).a >= CPUID_TDX && tprof_cpuid(CPUID_TDX).b == TDX_B &&
        tprof_cpuid(CPUID_TDX).c == TDX_C && tprof_cpuid(CPUID_TDX).d == TDX_D)
        return true;
    return tprof_cpuid(CPUID_EXTENDED).a >= CPUID_SEV &&
           tprof_cpuid(CPUID_SEV).a & CPUID_SEV_A_SEV &&
           tprof_rdmsr(MSR_SEV) & MSR_SEV_ON;
}

static uint32_t kvm_features(void)
{
    if (!(tprof_cpuid(1).c & CPUID_1_C_HYPERVISOR) || is_memory_private())
        return 0;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t leaf = KVM_LEAF + i * KVM_LEAF_STEP;
        struct tprof_cpuid_words r = tprof_cpuid(leaf);

        if (r.b == KVM_SIGNATURE_B && r.c == KVM_SIGNATURE_C &&
            r.d == KVM_SIGNATURE_D)
            return tprof_cpuid(leaf + 1).a;
    }
    return 0;
}

/* Returns the value of an MSR that makes KVM use (memory). */
static uint64_t msr_order(const struct tprof_config *config, const void *memory)
{
    uint64_t at = config->physical ? config->physical(config->context, memory)
                                   : (uintptr_t)memory;

    return at | KVM_MSR_ENABLE;
}

/* Lets KVM fill the page, before the guest's next instruction. If the kernel
 * has set up a page, the kernel's page is set again afterwards. */
static uint64_t tsc_hz(const struct tprof_config *config, void *memory)
{
    if (!(kvm_features() & KVM_HAS_CLOCK))
        return 0;
    tprof_arch_zero(memory, TPROF_PVCLOCK_WORDS * sizeof(uint32_t));

    uint64_t flags = tprof_arch_irq_save();
    uint64_t kernels = tprof_rdmsr(KVM_MSR_CLOCK);

    tprof_wrmsr(KVM_MSR_CLOCK, msr_order(config, memory));
    uint64_t hz = tprof_pvclock_hz(memory);

    tprof_wrmsr(KVM_MSR_CLOCK, kernels);
    tprof_arch_irq_restore(flags);
    return hz;
}

/* A core has at most one page. If the kernel has set it up, the agent does not
 * report stolen time. */
static void start_cpu(const struct tprof_config *config, void *memory)
{
    if (kvm_features() & KVM_HAS_STEAL &&
        !(tprof_rdmsr(KVM_MSR_STEAL) & KVM_MSR_ENABLE))
        tprof_wrmsr(KVM_MSR_STEAL, msr_order(config, memory));
}

static void stop_cpu(const struct tprof_config *config, void *memory)
{
    if (kvm_features() & KVM_HAS_STEAL &&
        tprof_rdmsr(KVM_MSR_STEAL) == msr_order(config, memory))
        tprof_wrmsr(KVM_MSR_STEAL, 0);
}

/* Returns the stolen time. The version is not needed, because 64 bits are read
 * at once. */
static uint64_t steal_ns(const void *memory)
{
    const volatile uint64_t *page = memory;

    return (uint32_t)page[KVM_STEAL_VERSION] ? page[KVM_STEAL_NS]
                                             : TPROF_STEAL_UNKNOWN;
}

/* The library never refers to tprof_kvm, so only a kernel that does links this
 * file. */
const struct tprof_hypervisor tprof_kvm = {
    .tsc_hz = tsc_hz,
    .start_cpu = start_cpu,
    .stop_cpu = stop_cpu,
    .steal_ns = steal_ns,
};
