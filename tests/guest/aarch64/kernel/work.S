/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of known cost: work_NAME takes 4 n + 5 instructions, with n turns
 * of its loop. Each has a frame, so its caller is in the chain, except in the
 * first and the last two instructions.
 */
        .text
        .macro  work name
        .globl  work_\name
        .type   work_\name, %function
        .balign 64
work_\name:
        stp     x29, x30, [sp, #-16]!
        mov     x29, sp
1:      nop
        nop
        subs    x0, x0, #1
        b.ne    1b
        ldp     x29, x30, [sp], #16
        ret
        .size   work_\name, . - work_\name
        .endm

        work    a
        work    b
        work    c
        work    d
        work    e
        work    f
        work    g
        work    h

        .section .note.GNU-stack, "", %progbits
