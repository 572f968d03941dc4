/* SPDX-License-Identifier: BSD-2-Clause */
/* One function for each hostile case, so that its samples carry its name:
 * spin_CASE(rdi = value of RBP, esi = rounds). */
    .text

    .macro SPIN name
    .globl spin_\name
    .type spin_\name, @function
spin_\name:
    pushq %rbp
    movq %rdi, %rbp
1:  decl %esi
    jnz 1b
    popq %rbp
    ret
    .size spin_\name, . - spin_\name
    .endm

    SPIN sound
    SPIN self
    SPIN cycle
    SPIN falling
    SPIN odd
    SPIN unmapped
    SPIN last_page
    SPIN device
    SPIN apic
    SPIN noncanonical
    SPIN wrapping
    SPIN edge
    SPIN data
    SPIN deep
    SPIN random

    .section .note.GNU-stack, "", @progbits
