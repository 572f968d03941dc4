/* SPDX-License-Identifier: BSD-2-Clause */
/* What cores had in their registers when they were sampled from outside.
 * Leaf. */
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
    /* A debugger's stub, and a dump that is not QEMU's, may not tell those from
     * here on: all are 0 then. No dump tells EFER. */
    REGISTER_CR0,
    REGISTER_CR3,
    REGISTER_CR4,
    REGISTER_EFER,
    REGISTERS,
};

/* Of one core at one time. */
struct registers {
    uint64_t time; /* of the guest's clock; 0: nothing is here */
    uint64_t value[REGISTERS];
};

#define REGISTERS_CORES 256u
/* A batch of samples comes at once, after the registers of all of them. */
#define REGISTERS_KEPT  64u

/* The last ones of each core, in any order. */
struct registers_kept {
    struct registers of[REGISTERS_CORES][REGISTERS_KEPT];
};

#endif
