# SPDX-License-Identifier: BSD-2-Clause
# A kernel of random bytes by segments.ld: a segment that is dead after boot, and is larger than
# the one that runs; and in the latter data, too.
    .macro random count
    .rept \count
    .set x, (x * 1103515245 + 12345) & 0x7fffffff
    .long x >> 7
    .endr
    .endm

    .set x, 1
    .section .dead, "ax"
    random 20000

    .set x, 7
    .text
    .globl _start, runs
_start:
    random 2000
runs:
    random 2000

#ifdef TWICE
    .balign 4096
    .set x, 7
    random 4000
#endif

    .section .gap, "a"
    random 12000
