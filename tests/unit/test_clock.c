/* SPDX-License-Identifier: BSD-2-Clause */
/* The TSC's rate, by what CPUID tells: here each leaf is made up. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

/* In the place of arch.h, which clock.c includes. */
#define TPROF_ARCH_H
struct tprof_cpuid_words {
    uint32_t a, b, c, d;
};
static struct {
    uint64_t per_tsc;
} tprof_lapic;
static struct tprof_cpuid_words basic[0x17], hypervisor[0x11];

static struct tprof_cpuid_words tprof_cpuid(uint32_t leaf)
{
    return leaf < sizeof basic / sizeof *basic ? basic[leaf]
                                               : hypervisor[leaf - 0x40000000u];
}

uint64_t tprof_arch_clock_hz(void);
bool tprof_arch_in_blocks(void);
/* with the stubs above. NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../agent/src/arch/x86_64/time/clock.c"

#define HYPERVISOR (1u << 31)

static void nominal_mhz(uint32_t mhz)
{
    basic[0].a = 0x16;
    basic[0x16].a = mhz;
}

TEST(nominal_frequency_is_taken_without_a_hypervisor)
{
    nominal_mhz(2600);
    CHECK_EQ(tprof_arch_clock_hz(), 2600000000u);
}

TEST(crystal_is_better_than_nominal)
{
    nominal_mhz(2600);
    basic[0x15] = (struct tprof_cpuid_words){.a = 2, .b = 216, .c = 24000000};
    CHECK_EQ(tprof_arch_clock_hz(), 2592000000u);
}

/* catches: the frequency of the host that the guest was on before */
TEST(hypervisor_is_better_than_the_cpu)
{
    nominal_mhz(2600);
    basic[1].c = HYPERVISOR;
    hypervisor[0].a = 0x40000010;
    hypervisor[0x10].a = 3000000;
    CHECK_EQ(tprof_arch_clock_hz(), 3000000000u);
}

TEST(apic_timer_of_kvm_is_better_than_nominal)
{
    nominal_mhz(2600);
    basic[1].c = HYPERVISOR;
    hypervisor[0] =
        (struct tprof_cpuid_words){.a = 0x40000001, .b = 0x4b4d564b};
    tprof_lapic.per_tsc = (uint64_t)1 << 31; /* half a count for a tick */
    CHECK_EQ(tprof_arch_clock_hz(), 2000000000u);
}

/* catches: leaves above the greatest one, which hold anything */
TEST(unknown_leaves_are_not_believed)
{
    basic[0].a = 0x14;
    basic[0x16].a = 1;
    basic[1].c = HYPERVISOR;
    hypervisor[0].a = 0x40000001;
    hypervisor[0x10].a = 1;
    CHECK_EQ(tprof_arch_clock_hz(), 0);
}

TEST(emulator_tcg_is_known_by_its_name)
{
    CHECK(!tprof_arch_in_blocks());
    memcpy(&hypervisor[0].b, "TCGT", 4);
    CHECK(tprof_arch_in_blocks()); /* under -cpu MODEL,-hypervisor */
    basic[1].c = HYPERVISOR;
    CHECK(tprof_arch_in_blocks());
    memcpy(&hypervisor[0].b, "KVMK", 4);
    CHECK(!tprof_arch_in_blocks());
}
