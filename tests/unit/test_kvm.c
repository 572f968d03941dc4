/* SPDX-License-Identifier: BSD-2-Clause */
/* What KVM is asked for, by what CPUID tells: here each leaf is made up. That
 * KVM answers is proven by tests/system/nested. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check.h"
#include "tprof/tprof.h"

/* In the place of arch.h, which kvm.c includes. */
#define TPROF_ARCH_H
struct tprof_cpuid_words {
    uint32_t a, b, c, d;
};
static struct tprof_cpuid_words basic[2], kvm[2], tdx, extended, sev;
static uint64_t sev_msr, clock_msr, steal_msr;
static uint32_t orders; /* MSRs of KVM's that were touched */

static struct tprof_cpuid_words tprof_cpuid(uint32_t leaf)
{
    switch (leaf) {
    case 0x21:
        return tdx;
    case 0x80000000u:
        return extended;
    case 0x8000001fu:
        return sev;
    default:
        break;
    }
    return leaf < 2 ? basic[leaf] : kvm[leaf & 1];
}

static uint64_t *msr(uint32_t number)
{
    if (number == 0xc0010131u)
        return &sev_msr;
    orders++;
    return number == 0x4b564d01 ? &clock_msr : &steal_msr;
}

static uint64_t tprof_rdmsr(uint32_t number)
{
    return *msr(number);
}

static void tprof_wrmsr(uint32_t number, uint64_t value)
{
    *msr(number) = value;
}

static uint64_t tprof_arch_irq_save(void)
{
    return 0;
}

static void tprof_arch_irq_restore(uint64_t flags)
{
    (void)flags;
}

static void tprof_arch_zero(void *memory, size_t size)
{
    (void)memory;
    (void)size;
}

/* with the stubs above. NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../agent/src/arch/x86_64/time/kvm.c"

uint64_t tprof_pvclock_hz(const volatile uint32_t *words)
{
    (void)words;
    return 3000000000u;
}

static const struct tprof_config config;
static uint64_t page[8];

/* A guest of KVM's that offers a clock and steal time. */
static void begin(void)
{
    basic[0].a = 0x21;
    basic[1].c = 1u << 31;
    kvm[0] =
        (struct tprof_cpuid_words){0x40000001, 0x4b4d564b, 0x564b4d56, 0x4d};
    kvm[1].a = 1u << 3 | 1u << 5;
    extended.a = 0x8000001f;
}

/* All that tprof_kvm does; returns the TSC's rate. */
static uint64_t use(void)
{
    tprof_kvm.start_cpu(&config, page);
    tprof_kvm.stop_cpu(&config, page);
    return tprof_kvm.tsc_hz(&config, page);
}

TEST(kvm_is_asked)
{
    begin();
    sev_msr = 1; /* catches: an MSR that this CPU has not */
    CHECK_EQ(use(), 3000000000u);
    CHECK(orders > 0);
    CHECK_EQ(clock_msr, 0);
    CHECK_EQ(steal_msr, 0);
}

TEST(nothing_is_asked_that_is_not_offered)
{
    begin();
    kvm[1].a = 0;
    CHECK_EQ(use(), 0);
    kvm[1].a = UINT32_MAX;
    kvm[0].b = 0; /* another hypervisor */
    CHECK_EQ(use(), 0);
    begin();
    basic[1].c = 0;
    CHECK_EQ(use(), 0);
    CHECK_EQ(orders, 0);
}

TEST(page_of_the_kernels_stays)
{
    begin();
    clock_msr = 0x7001;
    steal_msr = 0x8001;
    CHECK_EQ(use(), 3000000000u);
    CHECK_EQ(clock_msr, 0x7001);
    CHECK_EQ(steal_msr, 0x8001);
}

/* catches: pages that KVM fills, and the guest reads as garbage */
TEST(encrypted_memory_is_not_lent)
{
    begin();
    sev.a = 1u << 1;
    CHECK_EQ(use(), 3000000000u); /* it could be, and is not */
    orders = 0;
    sev_msr = 1;
    CHECK_EQ(use(), 0);
    CHECK_EQ(orders, 0);
}

TEST(trust_domain_is_not_asked) /* catches: MSRs that fault there */
{
    begin();
    tdx = (struct tprof_cpuid_words){0, 0x65746e49, 0x20202020, 0x5844546c};
    CHECK_EQ(use(), 0);
    CHECK_EQ(orders, 0);
    basic[0].a = 0x20; /* catches: a leaf that holds anything */
    CHECK_EQ(use(), 3000000000u);
}
