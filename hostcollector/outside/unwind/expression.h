/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions in call frame information: a stack machine (DWARF 5, 2.5). The
 * expression and the memory that it reads are not trusted. An expression takes
 * a limited number of steps, and gives one value or none.
 */
#ifndef TPROF_OUTSIDE_UNWIND_EXPRESSION_H
#define TPROF_OUTSIDE_UNWIND_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/unwind/cfi.h"
#include "util/cpu/guest_memory.h"

/* Registers of a core, as far as they are known. */
struct unwind_registers {
    uint64_t value[CPU_NUMBERS];
    unsigned count; /* registers that the CPU has, with the PC */
    uint64_t known; /* bit (1 << register) for each known register */
};

static inline bool unwind_known(const struct unwind_registers *r, unsigned i)
{
    return (r->known >> i & 1) != 0;
}

struct expression {
    struct cursor bytes;
    const struct unwind_registers *registers;
    const struct guest_memory *memory;
    const uint64_t *first; /* first value on the stack; NULL: none */
    uint64_t slide;        /* added to addresses in the expression */
};

/* Evaluate (e) into (*out). Returns false if it has no value. */
bool expression_value(const struct expression *e, uint64_t *out);

#endif
