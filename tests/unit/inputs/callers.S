# SPDX-License-Identifier: BSD-2-Clause
# Functions with and without frames that call each other; labels say where.
    .text

    .macro function name
    .globl \name
    .type \name, @function
\name:
    .endm

    function framed
    push %rbp
    mov %rsp, %rbp
    call bare
back_in_framed:
    call deeper
back_from_deeper:
    call just
back_from_just:
    call ends
    .size framed, . - framed

# the call before belongs to another function
    function ends
behind_framed:
    ret
    .size ends, . - ends

# two words on the stack
    function bare
at_first:
    push %rbx
at_second:
    sub $8, %rsp
    call leaf
back_in_bare:
    add $8, %rsp
    pop %rbx
at_last:
    ret
    .size bare, . - bare

    function leaf
at_leaf:
    nop
    ret
    .size leaf, . - leaf

# RBP is used for something else
    function cutting
    push %rbp
    mov %rdi, %rbp
    call leaf
back_in_cutting:
    pop %rbp
    ret
    .size cutting, . - cutting

# as much as the agent looks at, and more
    function deep
    sub $24, %rsp
at_three:
    sub $8, %rsp
at_four:
    add $32, %rsp
    ret
    .size deep, . - deep

# likewise, and called once
    function deeper
    sub $64, %rsp
at_deeper:
    call leaf
back_in_deeper:
    add $64, %rsp
    ret
    .size deeper, . - deeper

# likewise, and as much as the agent looks at
    function just
    sub $32, %rsp
at_just:
    add $32, %rsp
    ret
    .size just, . - just

# it takes its return address away, and puts something else there
    function taker
    pop %rax
    push %rdi
at_taken:
    jmp *%rax
    .size taker, . - taker

# how deep the stack is depends on the way
    function depends
    test %edi, %edi
    jz 1f
    push %rbx
1:
at_either:
    nop
    ud2
    .size depends, . - depends

# a label without size: its ret shows where the return address is, also through
# the jump to the next label
unsized:
at_unsized:
    cmp $16, %rdx
    jb unsized_short
    push %rbx
    pop %rbx
    ret
unsized_short:
at_unsized_short:
    nop
    ret
    function fence
    ud2
    .size fence, . - fence

# a label in the middle of a function: the ret pops what was pushed before
middle:
at_middle:
    pop %rbx
    ret
    function fence_of_middle
    ud2
    .size fence_of_middle, . - fence_of_middle

# rets of two depths
uneven:
at_uneven:
    jz 1f
    ret
1:
    push %rbx
    ret
    function fence_of_uneven
    ud2
    .size fence_of_uneven, . - fence_of_uneven

# no ret that belongs to a call
interrupt_end:
at_interrupt_end:
    nop
    iretq
