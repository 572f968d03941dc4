/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that C has no word for, one function each. Leaf. */
#ifndef GUEST_CPU_H
#define GUEST_CPU_H

#include <stdint.h>

#define CPU_MSR_APIC_BASE 0x1bu
#define CPU_MSR_GS_BASE   0xc0000101u

static inline void cpu_out8(uint16_t port, uint8_t val)
{
    __asm__ volatile("outb %0, %1" : : "a"(val), "Nd"(port) : "memory");
}

static inline void cpu_out16(uint16_t port, uint16_t val)
{
    __asm__ volatile("outw %0, %1" : : "a"(val), "Nd"(port) : "memory");
}

static inline void cpu_out32(uint16_t port, uint32_t val)
{
    __asm__ volatile("outl %0, %1" : : "a"(val), "Nd"(port) : "memory");
}

static inline uint32_t cpu_in32(uint16_t port)
{
    uint32_t val;

    __asm__ volatile("inl %1, %0" : "=a"(val) : "Nd"(port) : "memory");
    return val;
}

static inline uint8_t cpu_in8(uint16_t port)
{
    uint8_t val;

    __asm__ volatile("inb %1, %0" : "=a"(val) : "Nd"(port) : "memory");
    return val;
}

static inline uint64_t cpu_rdtsc(void)
{
    uint32_t lo, hi;

    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
    return (uint64_t)hi << 32 | lo;
}

static inline uint64_t cpu_rdmsr(uint32_t msr)
{
    uint32_t lo, hi;

    __asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr) : "memory");
    return (uint64_t)hi << 32 | lo;
}

static inline void cpu_wrmsr(uint32_t msr, uint64_t val)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(msr), "a"((uint32_t)val), "d"((uint32_t)(val >> 32))
                     : "memory");
}

struct cpu_id {
    uint32_t eax, ebx, ecx, edx;
};

static inline struct cpu_id cpu_cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpu_id id;

    __asm__ volatile("cpuid"
                     : "=a"(id.eax), "=b"(id.ebx), "=c"(id.ecx), "=d"(id.edx)
                     : "a"(leaf), "c"(subleaf));
    return id;
}

static inline uint64_t cpu_cr2(void)
{
    uint64_t val;

    __asm__ volatile("movq %%cr2, %0" : "=r"(val));
    return val;
}

static inline void cpu_invlpg(uintptr_t addr)
{
    __asm__ volatile("invlpg (%0)" : : "r"(addr) : "memory");
}

static inline void cpu_pause(void)
{
    __asm__ volatile("pause" : : : "memory");
}

static inline void cpu_irq_enable(void)
{
    __asm__ volatile("sti" : : : "memory");
}

static inline void cpu_irq_disable(void)
{
    __asm__ volatile("cli" : : : "memory");
}

/* Interrupts off; returns the flags for cpu_irq_restore(). */
static inline uint64_t cpu_irq_save(void)
{
    uint64_t flags;

    __asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
    return flags;
}

static inline void cpu_irq_restore(uint64_t flags)
{
    __asm__ volatile("pushq %0; popfq" : : "r"(flags) : "memory", "cc");
}

/*
 * Sleep until an interrupt, with interrupts on afterwards. Called with them
 * off, nothing slips in between the caller's last look and the sleep: sti
 * holds interrupts back for one more instruction.
 */
static inline void cpu_wait(void)
{
    __asm__ volatile("sti; hlt" : : : "memory");
}

#endif
