/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells the compiler about a function's place in a tick. */
#ifndef TPROF_COMPILER_H
#define TPROF_COMPILER_H

/* Part of every tick, so it is inline, although the rest is compiled for size.
 */
#define TPROF_HOT static inline __attribute__((always_inline))

/* Seldom part of a tick, so it is kept out of the way of what always is. */
#define TPROF_COLD static __attribute__((cold, noinline))

#endif
