/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaves as no compiler here would reliably make them: leaf(edi) works for edi
 * rounds. */
    .text

    /* Sets up its frame late: samples before that miss the caller. */
    .globl leaf_long
    .type leaf_long, @function
leaf_long:
    movl %edi, %eax
    movl %edi, %ecx
    pushq %rbp
    shll $5, %eax
    xorl %ecx, %eax
    addl $7, %eax
    movq %rsp, %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    subq $72, %rsp
1:  imull $1664525, %eax, %eax
    addl $1013904223, %eax
    movl %eax, (%rsp)
    decl %edi
    jnz 1b
    addq $72, %rsp
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size leaf_long, . - leaf_long

    /* Never sets one up. */
    .globl leaf_bare
    .type leaf_bare, @function
leaf_bare:
    xorl %eax, %eax
1:  addl %edi, %eax
    roll $3, %eax
    decl %edi
    jnz 1b
    ret
    .size leaf_bare, . - leaf_bare

    /* ... and has more on the stack than the agent looks at: among it what earlier
     * calls have left there, return addresses, too. */
    .macro DEEP name
    .globl \name
    .type \name, @function
\name:
    xorl %eax, %eax
    subq $128, %rsp
1:  addl %edi, %eax
    roll $5, %eax
    decl %edi
    jnz 1b
    addq $128, %rsp
    ret
    .size \name, . - \name
    .endm

    DEEP leaf_deep
    DEEP leaf_once

    .section .note.GNU-stack, "", @progbits
