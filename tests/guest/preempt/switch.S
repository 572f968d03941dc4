/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * void switch_stack(uint64_t *save, uint64_t load): go on where (load) was
 * saved; what a call may clobber is not kept, the rest lies on the stack.
 */
        .text
        .globl  switch_stack
        .type   switch_stack, @function
switch_stack:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp              /* from here on another thread's */
        addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .size   switch_stack, . - switch_stack

/* Where a thread's first switch returns to: rbx is its function, rbp 0, which
 * ends the chain. */
        .globl  thread_begin
        .type   thread_begin, @function
thread_begin:
        sti
        call    *%rbx
        ud2
        .size   thread_begin, . - thread_begin

        .section .note.GNU-stack, "", @progbits
