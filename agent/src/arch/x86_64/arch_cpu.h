/* SPDX-License-Identifier: BSD-2-Clause */
/* The inline part of arch.h, which includes this file last */
#ifndef TPROF_ARCH_CPU_H
#define TPROF_ARCH_CPU_H

#include "arch/arch.h"
#include "base/mem.h"
#include "cpu.h"
#include "isr.h"
#include "probe.h"
#include "time/lapic.h"

static inline bool tprof_arch_faults(uint64_t start, uint64_t size, bool write)
{
    return tprof_probe_faults(start, size, write);
}

TPROF_HOT bool tprof_arch_has_quick(void)
{
    return tprof_is_gs_numbered;
}

TPROF_HOT uint32_t tprof_arch_core_quick(void)
{
    return tprof_gs32(tprof_gs_offset);
}

/* --- Interrupts ----------------------------------------------------------- */

static inline uint64_t tprof_arch_irq_save(void)
{
    uint64_t flags;

    __asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
    return flags;
}

static inline void tprof_arch_irq_restore(uint64_t saved)
{
    __asm__ volatile("pushq %0; popfq" : : "r"(saved) : "memory", "cc");
}

static inline void tprof_arch_relax(void)
{
    __asm__ volatile("pause");
}

TPROF_HOT const uint64_t *tprof_arch_trap_pc(const struct tprof_arch_trap *trap)
{
    return &trap->rip;
}

TPROF_HOT uint64_t tprof_arch_trap_sp(const struct tprof_arch_trap *trap)
{
    return trap->rsp;
}

static inline struct tprof_registers
tprof_arch_registers(const struct tprof_regs *regs)
{
    return (struct tprof_registers){regs->rip, regs->rsp, regs->rbp};
}

/* --- Clock and timer ------------------------------------------------------ */

TPROF_HOT uint64_t tprof_arch_now(void)
{
    return tprof_rdtsc();
}

TPROF_HOT uintptr_t tprof_arch_short_way(void)
{
    return tprof_lapic.one_shot;
}

TPROF_HOT void tprof_arch_end_tick(uintptr_t way, uint64_t left)
{
    tprof_lapic_end_tick(&tprof_lapic, way, left);
}

static inline void tprof_arch_end_interrupt(void)
{
    tprof_lapic_eoi(&tprof_lapic);
}

/* --- Memory and checksum -------------------------------------------------- */

/* An instruction of the walk that may fault. tprof_fixup() recognizes it by a
 * prefix that has no effect. Volatile, so that the compiler does not move it
 * before the check of its address. */
#define TPROF_MAY_FAULT(instruction, how, result, address)                     \
    __asm__ __inline__ volatile(                                               \
        ".byte 0x3e\n" instruction " %1, %0"                                   \
        : how(result)                                                          \
        : "m"(*(const struct tprof_unaligned64 *)(uintptr_t)(address)))

TPROF_HOT uint64_t tprof_arch_load(uint64_t address)
{
    uint64_t value;

    TPROF_MAY_FAULT("movq", "=r", value, address);
    return value;
}

TPROF_HOT uint64_t tprof_arch_load_add(uint64_t sum, uint64_t address)
{
    TPROF_MAY_FAULT("addq", "+r", sum, address);
    return sum;
}

TPROF_HOT uint64_t tprof_arch_word_at(uint64_t sp, const uint64_t *link,
                                      uint32_t i)
{
    (void)link;
    return sp + 8ul * i;
}

TPROF_HOT uint64_t tprof_arch_return_address(uint64_t word)
{
    return word;
}

static inline const void *tprof_arch_text(uint64_t address, size_t size)
{
    (void)size;
    return (const void *)(uintptr_t)address;
}

static inline bool tprof_arch_slide(uint64_t *slide)
{
    (void)slide;
    return false;
}

/* Short code instead of fast code, because these copies are rare. */
static inline void tprof_arch_copy(void *to, const void *from, size_t size)
{
    __asm__ volatile("rep movsb"
                     : "+D"(to), "+S"(from), "+c"(size)
                     :
                     : "memory");
}

static inline void tprof_arch_zero(void *to, size_t size)
{
    size_t words = size / 8;

    __asm__ volatile("rep stosq"
                     : "+D"(to), "+c"(words)
                     : "a"((uint64_t)0)
                     : "memory");
}

static inline uint64_t tprof_arch_crc32c(uint64_t crc, uint64_t word)
{
    __asm__("crc32q %1, %0" : "+r"(crc) : "r"(word));
    return crc;
}

/* --- Devices -------------------------------------------------------------- */

static inline uint32_t tprof_arch_read(uintptr_t address, uint32_t width)
{
    switch (width) {
    case 1:
        return *(volatile uint8_t *)address;
    case 2:
        return *(volatile uint16_t *)address;
    default:
        return *(volatile uint32_t *)address;
    }
}

static inline void tprof_arch_write(uintptr_t address, uint32_t width,
                                    uint32_t value)
{
    switch (width) {
    case 1:
        *(volatile uint8_t *)address = (uint8_t)value;
        break;
    case 2:
        *(volatile uint16_t *)address = (uint16_t)value;
        break;
    default:
        *(volatile uint32_t *)address = value;
        break;
    }
}

#endif
