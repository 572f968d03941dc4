/* SPDX-License-Identifier: BSD-2-Clause */
/* The inline part of arch.h, which includes this file last */
#ifndef TPROF_ARCH_CPU_H
#define TPROF_ARCH_CPU_H

#include "arch/arch.h"
#include "arm_timer.h"
#include "base/mem.h"
#include "cpu.h"
#include "isr.h"

#define TPROF_PAGE 4096u /* the smallest */

static inline bool tprof_arch_faults(uint64_t start, uint64_t size, bool write)
{
    uint64_t daif = tprof_daif_mask();
    bool faults = false;

    for (uint64_t at = start; at - start < size && !faults;
         at = (at & -(uint64_t)TPROF_PAGE) + TPROF_PAGE)
        faults = tprof_translation_faults(at, write);
    tprof_daif_restore(daif);
    return faults;
}

TPROF_HOT bool tprof_arch_has_quick(void)
{
    return tprof_is_tpidr_numbered;
}

TPROF_HOT uint32_t tprof_arch_core_quick(void)
{
    return tprof_tpidr32(tprof_tpidr_offset);
}

/* --- Interrupts ----------------------------------------------------------- */

static inline uint64_t tprof_arch_irq_save(void)
{
    return tprof_daif_mask();
}

static inline void tprof_arch_irq_restore(uint64_t saved)
{
    tprof_daif_restore(saved);
}

static inline void tprof_arch_relax(void)
{
    __asm__ volatile("yield" : : : "memory");
}

TPROF_HOT const uint64_t *tprof_arch_trap_pc(const struct tprof_arch_trap *trap)
{
    return &trap->at.pc;
}

TPROF_HOT uint64_t tprof_arch_trap_sp(const struct tprof_arch_trap *trap)
{
    return trap->at.sp;
}

static inline struct tprof_registers
tprof_arch_registers(const struct tprof_regs *regs)
{
    return (struct tprof_registers){regs->rip, regs->rsp, regs->rbp};
}

/* --- Clock and timer ------------------------------------------------------ */

TPROF_HOT uint64_t tprof_arch_now(void)
{
    return tprof_cntvct();
}

TPROF_HOT uintptr_t tprof_arch_short_way(void)
{
    return !tprof_timer_kind.is_physical;
}

/* The kernel ends the interrupt. */
TPROF_HOT void tprof_arch_end_tick(uintptr_t way, uint64_t left)
{
    (void)way;
    tprof_timer_set_left(left);
}

static inline void tprof_arch_end_interrupt(void)
{
}

/* --- Memory and checksum -------------------------------------------------- */

/* An instruction of the walk that may fault. tprof_fixup() recognizes it as a
 * load of 64 bits by an address without an offset. Only aligned words are
 * loaded, because others fault in memory of devices, and without an MMU. */
#define TPROF_MAY_FAULT(how, result, address)                                  \
    __asm__ volatile("ldr %0, [%1]"                                            \
                     : how(result)                                             \
                     : "r"((address) & ~(uint64_t)7))

TPROF_HOT uint64_t tprof_arch_load(uint64_t address)
{
    uint64_t value;

    TPROF_MAY_FAULT("=r", value, address);
    return value;
}

TPROF_HOT uint64_t tprof_arch_load_add(uint64_t sum, uint64_t address)
{
    uint64_t value = 0;

    TPROF_MAY_FAULT("+r", value, address);
    return sum + value;
}

TPROF_HOT uint64_t tprof_arch_word_at(uint64_t sp, const uint64_t *link,
                                      uint32_t i)
{
    (void)sp;
    (void)i;
    return (uintptr_t)link;
}

/* XPACLRI, which is a NOP on a CPU that does not sign addresses */
TPROF_HOT uint64_t tprof_arch_return_address(uint64_t word)
{
    register uint64_t x30 __asm__("x30") = word;

    __asm__("hint #7" : "+r"(x30));
    return x30;
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

static inline void tprof_arch_copy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

static inline void tprof_arch_zero(void *to, size_t size)
{
    memset(to, 0, size);
}

static inline uint64_t tprof_arch_crc32c(uint64_t crc, uint64_t word)
{
    __asm__(".arch_extension crc\n"
            "crc32cx %w0, %w0, %1"
            : "+r"(crc)
            : "r"(word));
    return crc;
}

/* --- Devices -------------------------------------------------------------- */

/* One load or store without write-back, which a hypervisor can emulate. */
static inline uint32_t tprof_arch_read(uintptr_t address, uint32_t width)
{
    uint32_t value;

    switch (width) {
    case 1:
        __asm__ volatile("ldrb %w0, [%1]" : "=r"(value) : "r"(address));
        break;
    case 2:
        __asm__ volatile("ldrh %w0, [%1]" : "=r"(value) : "r"(address));
        break;
    default:
        __asm__ volatile("ldr %w0, [%1]" : "=r"(value) : "r"(address));
        break;
    }
    /* loads of what the device has written come after */
    __asm__ volatile("dmb oshld" : : : "memory");
    return value;
}

static inline void tprof_arch_write(uintptr_t address, uint32_t width,
                                    uint32_t value)
{
    /* the device sees what was written to memory before */
    __asm__ volatile("dmb oshst" : : : "memory");
    switch (width) {
    case 1:
        __asm__ volatile("strb %w0, [%1]" : : "r"(value), "r"(address));
        break;
    case 2:
        __asm__ volatile("strh %w0, [%1]" : : "r"(value), "r"(address));
        break;
    default:
        __asm__ volatile("str %w0, [%1]" : : "r"(value), "r"(address));
        break;
    }
}

#endif
