/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions in call frame information: a stack machine (DWARF 5, 2.5). Their
 * bytes and the memory that they read are not trusted: an expression takes a
 * bounded number of steps, and gives a value or none.
 */
#ifndef TPROF_OUTSIDE_UNWIND_EXPRESSION_H
#define TPROF_OUTSIDE_UNWIND_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/unwind/cfi.h"

/* Memory of a guest that stands still. */
struct unwind_memory {
    void *context;
    /* Read (size) bytes at (address). Returns how many could be read, from the
     * first one on. */
    size_t (*read)(void *context, uint64_t address, void *to, size_t size);
};

/* What a core has in its registers, as far as that is known. */
struct unwind_registers {
    uint64_t value[CFI_REGISTERS];
    uint32_t known; /* bit (1 << register) */
};

static inline bool unwind_known(const struct unwind_registers *r, unsigned i)
{
    return (r->known >> i & 1) != 0;
}

/* Read (size) bytes, 1 to 8, as a number. False if that is not possible. */
bool unwind_read(const struct unwind_memory *memory, uint64_t address,
                 size_t size, uint64_t *out);

struct expression {
    struct cursor bytes;
    const struct unwind_registers *registers;
    const struct unwind_memory *memory;
    const uint64_t *first; /* on the stack from the start; NULL: nothing */
    uint64_t slide;        /* of addresses that stand in the expression */
};

/* The value of (e) in (*out); false if it has none. */
bool expression_value(const struct expression *e, uint64_t *out);

#endif
