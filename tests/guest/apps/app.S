/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An application as compilers make them: its leaf keeps what it works on below
 * RSP, in the red zone of the System V ABI.
 */
        .set WORDS, 16
        .set LOOKS, 1000

        .text

/* uint64_t app_main(uint64_t rounds): looks at which a word had changed */
        .globl  app_main
        .type   app_main, @function
app_main:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        pushq   %r12
        movq    %rdi, %rbx
        xorl    %r12d, %r12d
1:      call    app_work
        addq    %rax, %r12
        decq    %rbx
        jnz     1b
        movq    %r12, %rax
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .size   app_main, . - app_main

        .type   app_work, @function
app_work:
        pushq   %rbp
        movq    %rsp, %rbp
        call    app_leaf
        popq    %rbp
        ret
        .size   app_work, . - app_work

        .type   app_leaf, @function
app_leaf:
        pushq   %rbp
        movq    %rsp, %rbp
        leaq    -8 * WORDS(%rsp), %rdx
        movl    $WORDS - 1, %ecx
1:      movq    %rcx, (%rdx, %rcx, 8)
        decl    %ecx
        jns     1b
        xorl    %eax, %eax
        movl    $LOOKS, %esi
2:      movl    $WORDS - 1, %ecx
3:      cmpq    %rcx, (%rdx, %rcx, 8)
        setne   %r8b
        movzbl  %r8b, %r8d
        addq    %r8, %rax
        decl    %ecx
        jns     3b
        decl    %esi
        jnz     2b
        popq    %rbp
        ret
        .size   app_leaf, . - app_leaf
        .globl  app_end
app_end:

        .section .note.GNU-stack, "", @progbits
