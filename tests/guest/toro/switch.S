/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * void SysThreadSwitch(void): give the core to whom Scheduling() picks. What
 * a call may clobber is not saved; the rest lies on the thread's own stack.
 */
    .text
    .globl SysThreadSwitch
    .type SysThreadSwitch, @function
SysThreadSwitch:
    pushq %rbp
    movq %rsp, %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    movq %rsp, %rdi
    call Scheduling
    movq %rax, %rsp /* from here on another thread's */
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size SysThreadSwitch, . - SysThreadSwitch

    /* Where a new thread's first switch returns to: rbx its function, r12 its
     * argument, rbp 0, which ends the frame chain. */
    .globl thread_begin
    .type thread_begin, @function
thread_begin:
    movq %r12, %rdi
    call *%rbx
    call ThreadExit
    .size thread_begin, . - thread_begin

    .section .note.GNU-stack, "", @progbits
