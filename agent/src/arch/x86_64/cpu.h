/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that C cannot express */
#ifndef TPROF_CPU_H
#define TPROF_CPU_H

#include <stdint.h>

#include "base/compiler.h"

#define MSR_APIC_BASE    0x1bu
#define MSR_TSC_DEADLINE 0x6e0u
#define MSR_X2APIC       0x800u /* register r of the APIC is 800h + r */
#define MSR_TSC_AUX      0xc0000103u

struct tprof_cpuid_words {
    uint32_t a, b, c, d;
};

static inline struct tprof_cpuid_words tprof_cpuid(uint32_t leaf)
{
    struct tprof_cpuid_words r;

    __asm__ volatile("cpuid"
                     : "=a"(r.a), "=b"(r.b), "=c"(r.c), "=d"(r.d)
                     : "a"(leaf), "c"(0));
    return r;
}

/* RDTSC and RDMSR leave the upper halves of both registers 0. */
TPROF_HOT uint64_t tprof_rdtsc(void)
{
    uint64_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return low | high << 32;
}

static inline uint64_t tprof_rdmsr(uint32_t msr)
{
    uint64_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return low | high << 32;
}

static inline void tprof_wrmsr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(msr), "a"((uint32_t)value),
                       "d"((uint32_t)(value >> 32))
                     : "memory");
}

static inline uint32_t tprof_gs32(uint64_t offset)
{
    uint32_t value;

    __asm__ volatile("movl %%gs:(%1), %0" : "=r"(value) : "r"(offset));
    return value;
}

#endif
