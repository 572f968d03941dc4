/* SPDX-License-Identifier: BSD-2-Clause */
/* call_on_stack(rdi = function, rsi = top): calls it there, with RBP 0, so that
 * its frame chain ends there, too. */
    .text
    .globl call_on_stack
    .type call_on_stack, @function
call_on_stack:
    pushq %rbp
    pushq %rbx
    movq %rsp, %rbx
    movq %rsi, %rsp
    xorl %ebp, %ebp
    call *%rdi
    movq %rbx, %rsp
    popq %rbx
    popq %rbp
    ret
    .size call_on_stack, . - call_on_stack

    .section .note.GNU-stack, "", @progbits
