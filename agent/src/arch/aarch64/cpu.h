/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers and instructions that C cannot express */
#ifndef TPROF_CPU_H
#define TPROF_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* Defines tprof_get_(name)(), which reads the register (name). Names are those
 * of the assembler: Arm ARM, chapter D19. */
#define TPROF_REGISTER(name)                                                   \
    TPROF_HOT uint64_t tprof_get_##name(void)                                  \
    {                                                                          \
        uint64_t value;                                                        \
                                                                               \
        __asm__ volatile("mrs %0, " #name : "=r"(value));                      \
        return value;                                                          \
    }
TPROF_REGISTER(mpidr_el1)
TPROF_REGISTER(midr_el1)
TPROF_REGISTER(tpidr_el1)
TPROF_REGISTER(par_el1)
TPROF_REGISTER(id_aa64isar0_el1)
TPROF_REGISTER(S3_3_C2_C4_0) /* RNDR */
TPROF_REGISTER(cntfrq_el0)
TPROF_REGISTER(cntvct_el0)
TPROF_REGISTER(cntpct_el0)
TPROF_REGISTER(cntv_ctl_el0)
TPROF_REGISTER(cntp_ctl_el0)

#define TPROF_WRITE_REGISTER(name, value)                                      \
    __asm__ volatile("msr " #name ", %0"                                       \
                     :                                                         \
                     : "r"((uint64_t)(value))                                  \
                     : "memor"                                                 \
                       "y")

/* Values that were written to registers hold for the instructions after this.
 */
static inline void tprof_isb(void)
{
    __asm__ volatile("isb" : : : "memory");
}

/* PSTATE: I and F, which mask interrupts and fast interrupts */
static inline uint64_t tprof_daif_mask(void)
{
    uint64_t daif;

    __asm__ volatile("mrs %0, daif\n"
                     "msr daifset, #3"
                     : "=r"(daif)
                     :
                     : "memory");
    return daif;
}

static inline void tprof_daif_restore(uint64_t daif)
{
    TPROF_WRITE_REGISTER(daif, daif);
}

/* MPIDR_EL1: the affinities of the calling core in 32 bits */
#define MPIDR_AFF3_SHIFT 32
#define MPIDR_AFF_LOW    0xffffffu

static inline uint32_t tprof_mpidr(void)
{
    uint64_t mpidr = tprof_get_mpidr_el1();

    return (uint32_t)(mpidr & MPIDR_AFF_LOW) |
           (uint32_t)(mpidr >> MPIDR_AFF3_SHIFT) << 24;
}

static inline uint32_t tprof_tpidr32(uint64_t offset)
{
    return *(const volatile uint32_t *)(uintptr_t)(tprof_get_tpidr_el1() +
                                                   offset);
}

/* Would a read, or with (write) a write, of the byte at (address) fault? The
 * CPU looks in the page tables, as for an access. Interrupts are off, because
 * the kernel may use PAR_EL1, too. */
static inline bool tprof_translation_faults(uint64_t address, bool write)
{
    uint64_t kernels = tprof_get_par_el1();

    if (write)
        __asm__ volatile("at s1e1w, %0" : : "r"(address) : "memory");
    else
        __asm__ volatile("at s1e1r, %0" : : "r"(address) : "memory");
    tprof_isb();
    bool faults = tprof_get_par_el1() & 1;

    TPROF_WRITE_REGISTER(par_el1, kernels);
    return faults;
}

#endif
