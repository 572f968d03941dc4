/* SPDX-License-Identifier: BSD-2-Clause */
/* The inline part of arch.h, which includes this file last */
#ifndef TPROF_ARCH_CPU_H
#define TPROF_ARCH_CPU_H

#include <string.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "machine.h"

static inline bool tprof_arch_faults(uint64_t start, uint64_t size, bool write)
{
    return TPROF_MACHINE_HOOK(faults) &&
           tprof_machine.hooks->faults(start, size, write);
}

static inline bool tprof_arch_has_quick(void)
{
    return false;
}

static inline uint32_t tprof_arch_core_quick(void)
{
    return tprof_arch_core_index();
}

/* --- Interrupts ----------------------------------------------------------- */

static inline struct tprof_machine_core *tprof_machine_this(void)
{
    return &tprof_machine.cores[tprof_machine.core];
}

static inline uint64_t tprof_arch_irq_save(void)
{
    bool off = tprof_machine_this()->interrupts_off;

    tprof_machine_this()->interrupts_off = true;
    return !off;
}

static inline void tprof_arch_irq_restore(uint64_t saved)
{
    tprof_machine_this()->interrupts_off = !saved;
}

static inline void tprof_arch_relax(void)
{
    if (TPROF_MACHINE_HOOK(relax))
        tprof_machine.hooks->relax();
#ifdef __x86_64__
    else
        __builtin_ia32_pause(); /* waits for another thread of a test */
#endif
}

static inline const uint64_t *
tprof_arch_trap_pc(const struct tprof_arch_trap *trap)
{
    return &trap->pc;
}

static inline uint64_t tprof_arch_trap_sp(const struct tprof_arch_trap *trap)
{
    return trap->sp;
}

static inline struct tprof_registers
tprof_arch_registers(const struct tprof_regs *regs)
{
    return (struct tprof_registers){regs->rip, regs->rsp, regs->rbp};
}

/* --- Clock and timer ------------------------------------------------------ */

static inline uint64_t tprof_arch_now(void)
{
    return tprof_machine_look_at_clock();
}

static inline void tprof_arch_end_interrupt(void)
{
    tprof_machine_this()->in_service = false;
}

/* Returns 1, because every virtual timer can be armed the short way. */
static inline uintptr_t tprof_arch_short_way(void)
{
    return 1;
}

static inline void tprof_arch_end_tick(uintptr_t way, uint64_t left)
{
    (void)way;
    tprof_machine_this()->deadline = tprof_machine.now + left;
    tprof_arch_end_interrupt();
}

/* --- Memory and checksum -------------------------------------------------- */

static inline uint64_t tprof_arch_load(uint64_t address)
{
    if (TPROF_MACHINE_HOOK(load))
        return tprof_machine.hooks->load(address);
    return tprof_load64((const void *)(uintptr_t)address);
}

static inline uint64_t tprof_arch_load_add(uint64_t sum, uint64_t address)
{
    return sum + tprof_arch_load(address);
}

static inline uint64_t tprof_arch_word_at(uint64_t sp, const uint64_t *link,
                                          uint32_t i)
{
    (void)link;
    return sp + 8ul * i;
}

static inline uint64_t tprof_arch_return_address(uint64_t word)
{
    return word;
}

static inline const void *tprof_arch_text(uint64_t address, size_t size)
{
    if (TPROF_MACHINE_HOOK(text))
        return tprof_machine.hooks->text(address, size);
    return (const void *)(uintptr_t)address;
}

static inline bool tprof_arch_slide(uint64_t *slide)
{
    return TPROF_MACHINE_HOOK(slide) && tprof_machine.hooks->slide(slide);
}

static inline void tprof_arch_copy(void *to, const void *from, size_t size)
{
    if (TPROF_MACHINE_HOOK(touch)) {
        tprof_machine.hooks->touch(from, size, false);
        tprof_machine.hooks->touch(to, size, true);
    }
    if (size > 0) /* (from) may be NULL then, which memcpy() does not allow */
        memcpy(to, from, size);
}

static inline void tprof_arch_zero(void *to, size_t size)
{
    if (TPROF_MACHINE_HOOK(touch))
        tprof_machine.hooks->touch(to, size, true);
    memset(to, 0, size);
}

/* Computes bit by bit the result of the instruction that some CPUs have. */
static inline uint64_t tprof_arch_crc32c(uint64_t crc, uint64_t word)
{
    word ^= (uint32_t)crc;
    for (int bit = 0; bit < 64; bit++)
        word = word >> 1 ^ (word & 1 ? 0x82f63b78u : 0);
    return word;
}

/* --- Devices -------------------------------------------------------------- */

static inline uint32_t tprof_arch_read(uintptr_t address, uint32_t width)
{
    if (TPROF_MACHINE_HOOK(read))
        return tprof_machine.hooks->read(address, width);
    if (width == 1)
        return *(volatile uint8_t *)address;
    return width == 2 ? *(volatile uint16_t *)address
                      : *(volatile uint32_t *)address;
}

static inline void tprof_arch_write(uintptr_t address, uint32_t width,
                                    uint32_t value)
{
    if (TPROF_MACHINE_HOOK(write))
        tprof_machine.hooks->write(address, width, value);
    else if (width == 1)
        *(volatile uint8_t *)address = (uint8_t)value;
    else if (width == 2)
        *(volatile uint16_t *)address = (uint16_t)value;
    else
        *(volatile uint32_t *)address = value;
}

#endif
