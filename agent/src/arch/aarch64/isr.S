/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls on the core's own stack, which ends at the beginning of its struct
 * tprof_cpu. x29 keeps the caller's stack pointer meanwhile.
 */
        .text

        .macro  begin name
        .globl  \name
        .hidden \name
        .type   \name, %function
        .balign 4
\name:
        hint    #34                     /* BTI C: calls may lead here */
        stp     x29, x30, [sp, #-16]!
        mov     x29, sp
        mov     sp, x0                  /* struct tprof_cpu */
        .endm

        .macro  end name
        mov     sp, x29
        ldp     x29, x30, [sp], #16
        ret
        .size   \name, . - \name
        .endm

        begin   tprof_isr_on_stack
        bl      tprof_interrupt
        end     tprof_isr_on_stack

/* See arch.h. */
        begin   tprof_arch_on_stack
        blr     x2
        end     tprof_arch_on_stack

        .section .note.GNU-stack, "", %progbits
