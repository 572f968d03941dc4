/* SPDX-License-Identifier: BSD-2-Clause */
/* What the compiler is told about a function's place in a tick. */
#ifndef TPROF_COMPILER_H
#define TPROF_COMPILER_H

/* Part of every tick: no call, although the rest is compiled for size. */
#define TPROF_HOT static inline __attribute__((always_inline))

/* Seldom part of one: out of the way of what is. */
#define TPROF_COLD static __attribute__((cold, noinline))

/* Keeps the address (p) in a register, so that what follows reaches its fields
 * with short instructions instead of naming each one's address. */
#define TPROF_BASE(p) __asm__("" : "+r"(p))

/* Of what isr.S calls and what calls it: one calling convention, also where
 * the compiler has another (EFI applications by clang). */
#define TPROF_ASM_ABI __attribute__((sysv_abi))

#endif
