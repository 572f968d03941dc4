/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the cost guest is interrupted, with RBP = rdi as its frame chain. */
    .set HALTS, 200

    .text
    /* cost_spin(rdi, rsi = rounds): a loop of one instruction */
    .globl cost_spin
    .type cost_spin, @function
cost_spin:
    pushq %rbp
    movq %rdi, %rbp
    movq %rsi, %rcx
1:  loop 1b
    popq %rbp
    ret
    .size cost_spin, . - cost_spin
    .globl cost_spin_end
cost_spin_end:

    /* cost_halt_N(rdi): sleeps until the next interrupt, each at an address of
     * its own */
    .altmacro
    .macro HALT n
    .type cost_halt_\n, @function
cost_halt_\n:
    pushq %rbp
    movq %rdi, %rbp
    hlt
    popq %rbp
    ret
    .size cost_halt_\n, . - cost_halt_\n
    .endm

    .macro HALT_ADDRESS n
    .quad cost_halt_\n
    .endm

    .set n, 0
    .rept HALTS
    HALT %n
    .set n, n + 1
    .endr

    .section .rodata
    .balign 8
    .globl cost_halts
cost_halts:
    .set n, 0
    .rept HALTS
    HALT_ADDRESS %n
    .set n, n + 1
    .endr

    .section .note.GNU-stack, "", @progbits
