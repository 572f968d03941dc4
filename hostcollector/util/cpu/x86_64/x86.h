/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations of struct cpu about instructions of x86-64. */
#ifndef TPROF_UTIL_CPU_X86_64_X86_H
#define TPROF_UTIL_CPU_X86_64_X86_H

#include "util/cpu/cpu.h"

/* x86_insn.c */
size_t x86_insn_decode(const uint8_t *code, size_t len, struct insn *out);

/* x86_holdup.c */
enum code_holdup x86_holdup(const uint8_t *code, size_t size);
bool x86_may_hold_up(const uint8_t *end);
bool x86_sleeps(const uint8_t *end);
bool x86_is_halt(const uint8_t *end);

#endif
