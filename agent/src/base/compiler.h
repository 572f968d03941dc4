/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes for functions of a tick */
#ifndef TPROF_COMPILER_H
#define TPROF_COMPILER_H

/* Inlines a part of every tick, although the rest is compiled for size. */
#define TPROF_HOT static inline __attribute__((always_inline))

/* Keeps a rare part of a tick out of the way of the frequent part. */
#define TPROF_COLD static __attribute__((cold, noinline))

#endif
