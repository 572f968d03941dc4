/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of x86-64: general ones by their DWARF numbers. */
#ifndef TPROF_UTIL_CPU_X86_64_X86_REGISTERS_H
#define TPROF_UTIL_CPU_X86_64_X86_REGISTERS_H

#include "util/cpu/cpu.h"

enum x86_register {
    X86_RAX,
    X86_RDX,
    X86_RCX,
    X86_RBX,
    X86_RSI,
    X86_RDI,
    X86_RBP,
    X86_RSP,
    X86_R8,
    X86_R12 = X86_R8 + 4,
    X86_R15 = X86_R8 + 7,
    X86_GENERALS,
    X86_PC = X86_GENERALS,
};

/* (system) of struct cpu_registers. */
enum x86_system { X86_CS, X86_CR0, X86_CR3, X86_CR4, X86_EFER };

/* The functions of struct cpu. */
bool x86_from_stub(const uint8_t *bytes, size_t size,
                   struct cpu_registers *out);
bool x86_from_status(const uint8_t *bytes, size_t size,
                     struct cpu_registers *out);
void x86_from_qemu_note(const uint8_t *bytes, size_t size,
                        struct cpu_registers *out);
uint64_t x86_shown(const struct cpu_registers *r, unsigned i);
unsigned x86_shown_known(const uint64_t *values);
bool x86_interruptible(const uint64_t *values);

#define X86_SHOWN 23u
extern const char *const x86_shown_names[X86_SHOWN];

#endif
