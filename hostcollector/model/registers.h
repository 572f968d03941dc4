/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of cores at the times when they were sampled from outside. Leaf. */
#ifndef TPROF_MODEL_REGISTERS_H
#define TPROF_MODEL_REGISTERS_H

#include <stdint.h>

enum register_number {
    REGISTER_RIP,
    REGISTER_RSP,
    REGISTER_RBP,
    REGISTER_RAX,
    REGISTER_RBX,
    REGISTER_RCX,
    REGISTER_RDX,
    REGISTER_RSI,
    REGISTER_RDI,
    REGISTER_R8,
    REGISTER_R15 = REGISTER_R8 + 7,
    REGISTER_RFLAGS,
    REGISTER_CS,
    /* The registers from here on are 0 if a debugger's stub does not give them,
     * or if a dump is not QEMU's. No dump gives EFER. */
    REGISTER_CR0,
    REGISTER_CR3,
    REGISTER_CR4,
    REGISTER_EFER,
    REGISTERS,
};

/* Registers of one core at one time. */
struct registers {
    uint64_t time; /* guest's clock; 0: no registers */
    uint64_t value[REGISTERS];
};

#define REGISTERS_CORES 256u
/* Limit for each core. Samples are sent in batches, after the registers of all
 * samples of a batch. */
#define REGISTERS_KEPT  64u

/* The last registers of each core, in any order. */
struct registers_kept {
    struct registers of[REGISTERS_CORES][REGISTERS_KEPT];
};

#endif
