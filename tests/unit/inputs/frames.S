/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ways to set up and take down a frame. A label at_PLACE_WHAT says, by hand,
 * where the instruction behind it stands.
 */
    .text
    .macro function name
    .globl \name
    .type \name, @function
\name:
    .endm
    .macro end name
    .size \name, . - \name
    .endm

    .globl _start
    .set _start, usual

    function usual
at_prologue_endbr:
    endbr64
at_prologue_push:
    push %rbp
at_prologue_mov:
    mov %rsp, %rbp
at_body_first:
    push %rbx
    sub $0x18, %rsp
    mov %rdi, -0x20(%rbp)
at_body_test:
    test %edi, %edi
    je 1f
    call leaf
at_body_call:
    add $0x18, %rsp
    pop %rbx
at_body_pop:
    pop %rbp
at_epilogue_ret:
    ret
1:
at_body_again:              /* behind a ret, and yet in the frame */
    mov -0x8(%rbp), %rbx
    leave
at_epilogue_leave:
    ret
    end usual

    function shrink_wrapped     /* the fast path has no frame at all */
at_prologue_fast:
    cmp $1, %rdi
    jbe 2f
    push %rbp
at_prologue_late:
    xor %eax, %eax          /* the compiler puts others in between */
    mov %rsp, %rbp
at_body_late:
    call leaf
    pop %rbp
at_epilogue_tail:
    jmp leaf
2:
at_prologue_fast_ret:
    ret
    end shrink_wrapped

    function leaf
at_noframe_leaf:
    lea 1(%rdi), %rax
at_noframe_ret:
    ret
    end leaf

    function general            /* RBP as a register like others */
at_noframe_general:
    push %rbp
    mov %rdi, %rbp
at_noframe_general_body:
    call leaf
    pop %rbp
    ret
    end general

    function not_below_return   /* [rbp+8] is rbx, not the return address */
    push %rbx
    push %rbp
    mov %rsp, %rbp
at_noframe_not_below:
    call leaf
    pop %rbp
    pop %rbx
    ret
    end not_below_return

    function clobbered
    push %rbp
    mov %rsp, %rbp
at_body_before_clobber:
    mov (%rdi), %rbp
at_unknown_clobbered:
    nop
    ret
    end clobbered

    function realigned          /* what gcc does for wide vectors */
at_prologue_realigned:
    lea 8(%rsp), %r10
    and $-32, %rsp
    push -8(%r10)
    push %rbp
at_prologue_realigned_mov:
    mov %rsp, %rbp
at_body_realigned:
    push %r10
    sub $0x40, %rsp
    add $0x40, %rsp
    pop %r10
    pop %rbp
at_epilogue_realigned:
    lea -8(%r10), %rsp
    ret
    end realigned

    function entered
    enter $0x20, $0
at_body_entered:
    nop
    leave
at_epilogue_entered:
    ret
    end entered

    function by_lea
    push %rbp
    push %rbx
    sub $16, %rsp
at_prologue_by_lea:
    lea 24(%rsp), %rbp
at_body_by_lea:
    lea -8(%rbp), %rsp
    pop %rbx
    pop %rbp
at_epilogue_by_lea:
    ret
    end by_lea

    function switched           /* reached through a table only */
    push %rbp
    mov %rsp, %rbp
    jmp *table(,%rdi,8)
case_0:
at_body_case:
    mov $1, %eax
    leave
    ret
case_1:
at_body_other_case:
    mov $2, %eax
    leave
at_epilogue_case:
    ret
    end switched

    function no_return          /* its last call does not come back */
    cmp $3, %rdi
    ja 3f
    push %rbp
    mov %rsp, %rbp
    call leaf
at_body_before_3:
    call leaf               /* say, panic(); falls into the other path */
3:
at_prologue_after_call:
    xor %eax, %eax
    ret
    end no_return

    function hot
    push %rbp
    mov %rsp, %rbp
    test %edi, %edi
    js hot.cold
at_body_hot:
    pop %rbp
    ret
    end hot

    function calls_bare         /* no frame, and yet it calls */
    sub $8, %rsp
    call leaf
at_noframe_call:
    add $8, %rsp
    call leaf               /* and does not come back */
    end calls_bare

    function behind_call
at_prologue_behind_call:
    push %rbp
    mov %rsp, %rbp
    pop %rbp
    ret
    end behind_call

    function idle
    push %rbp
    mov %rsp, %rbp
4:
at_body_before_halt:
    sti
    hlt
at_idle_hlt:
    xor %ecx, %ecx
    mwait
at_idle_mwait:
    mov -0xc(%rbp), %eax    /* ends in 0xf4, as hlt does */
at_body_after_f4:
    jmp 4b
    end idle

    function idle_bare
    sti
    hlt
at_bareidle_hlt:
    ret
    end idle_bare

    .section .text.unlikely, "ax"
    .globl hot.cold
    .type hot.cold, @function
hot.cold:
at_body_cold:
    call leaf
    pop %rbp
at_epilogue_cold:
    ret
    .size hot.cold, . - hot.cold

    .section .rodata
table:
    .quad case_0, case_1
