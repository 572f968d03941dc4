/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of cores at the times when they were sampled from outside. Leaf. */
#ifndef TPROF_MODEL_REGISTERS_H
#define TPROF_MODEL_REGISTERS_H

#include <stdint.h>

/* Limit of the registers that users see, over all CPUs. */
#define REGISTERS 36u

/* Registers of one core at one time. */
struct registers {
    uint64_t time; /* guest's clock; 0: no registers */
    /* in the order of the guest's CPU (util/cpu/cpu.h): the first is the
     * program counter */
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
