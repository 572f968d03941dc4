/* SPDX-License-Identifier: BSD-2-Clause */
/* Into ring 3 and back. */
        .set USER_DATA, 0x20 | 3
        .set USER_CODE, 0x28 | 3
        .set RFLAGS_IF, 0x202

        .text

/*
 * uint64_t ring3_call(uint64_t (*function)(uint64_t), uint64_t argument,
 *                     void *stack_end, uint64_t *back)
 * calls (function) in ring 3 on the stack that ends at (stack_end), and returns
 * with interrupts off what it gives. (back) is where the kernel's stack for
 * what comes from ring 3 ends (TSS.RSP0).
 */
        .globl  ring3_call
        .type   ring3_call, @function
ring3_call:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rcx)
        movq    %rdi, %rax
        movq    %rsi, %rdi
        pushq   $USER_DATA
        pushq   %rdx
        pushq   $RFLAGS_IF
        pushq   $USER_CODE
        leaq    ring3_start(%rip), %rdx
        pushq   %rdx
        xorl    %ebp, %ebp                  /* its frame chain ends here */
        iretq
        .size   ring3_call, . - ring3_call

        .globl  ring3_start
        .type   ring3_start, @function
ring3_start:
        call    *%rax
        int     $0x80
        .size   ring3_start, . - ring3_start

/* The gate 0x80: 40 bytes were pushed, just below (back). */
        .globl  ring3_back
        .type   ring3_back, @function
ring3_back:
        movq    40(%rsp), %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .size   ring3_back, . - ring3_back
        .globl  ring3_end
ring3_end:

/* What no gate should lead to. */
        .globl  ring3_unexpected
        .type   ring3_unexpected, @function
ring3_unexpected:
        ud2
        .size   ring3_unexpected, . - ring3_unexpected

        .section .note.GNU-stack, "", @progbits
