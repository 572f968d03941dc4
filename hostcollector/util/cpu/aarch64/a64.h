/* SPDX-License-Identifier: BSD-2-Clause */
/* aarch64: general registers by their DWARF numbers, and the operations of
 * struct cpu. */
#ifndef TPROF_UTIL_CPU_AARCH64_A64_H
#define TPROF_UTIL_CPU_AARCH64_A64_H

#include "util/cpu/cpu.h"

enum a64_register {
    A64_X0,
    A64_X19 = 19,
    A64_X28 = 28,
    A64_X29, /* the frame pointer */
    A64_X30, /* the link register */
    A64_SP,
    A64_GENERALS,
    A64_PC = A64_GENERALS,
};

/* a64_insn.c */
size_t a64_insn_decode(const uint8_t *code, size_t len, struct insn *out);
#define A64_INSN 4u /* bytes of each instruction */

/* a64_registers.c */
bool a64_from_stub(const uint8_t *bytes, size_t size,
                   struct cpu_registers *out);
bool a64_from_status(const uint8_t *bytes, size_t size,
                     struct cpu_registers *out);
uint64_t a64_shown(const struct cpu_registers *r, unsigned i);
unsigned a64_shown_known(const uint64_t *values);
bool a64_interruptible(const uint64_t *values);

#define A64_SHOWN 34u
extern const char *const a64_shown_names[A64_SHOWN];

#endif
