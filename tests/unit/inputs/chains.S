# SPDX-License-Identifier: BSD-2-Clause
# Places from which callers are looked for, on stacks that a test lays out.
    .text
    .globl _start, caller, back, framed, in_framed, late, at_ret, signal, indirect, back_indirect
    .globl own_gate, own_common, back_own_begin, cleanup, in_begin_thread
    .globl second_vector, begins, in_begins, back_begun, in_switched, in_aligned
    .globl plain, damaged, interrupt, taken, back_taken, unsized, unsized_middle, never, behind, start_back, back_framed, back_late

    .type _start, @function
_start:
    .cfi_startproc
    .cfi_undefined %rip
    call caller
start_back:
    hlt
    .cfi_endproc
    .size _start, . - _start

# a frame of 8 bytes, and calls
    .type caller, @function
caller:
    .cfi_startproc
    sub $8, %rsp
    .cfi_def_cfa_offset 16
    call framed
back_framed:
    call plain
back:
    call late
back_late:
    add $8, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
    .size caller, . - caller

# tables and instructions agree
    .type framed, @function
framed:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
in_framed:
    nop
    pop %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size framed, . - framed

# the tables know nothing of the way out
    .type late, @function
late:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    nop
    pop %rbp
at_ret:
    ret
    .cfi_endproc
    .size late, . - late

# its last instruction is a call that does not return
    .type ends, @function
ends:
    .cfi_startproc
    sub $24, %rsp
    .cfi_def_cfa_offset 32
    call never
    .cfi_endproc
    .size ends, . - ends

# where that call would return to
    .type behind, @function
behind:
    .cfi_startproc
    ret
    .cfi_endproc
    .size behind, . - behind

    .type never, @function
never:
    .cfi_startproc
    hlt
    .cfi_endproc
    .size never, . - never

# calls whatever RAX says
    .type indirect, @function
indirect:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    call *%rax
back_indirect:
    pop %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size indirect, . - indirect

# no tables: the instructions tell
    .type plain, @function
plain:
    push %rbx
    nop
    pop %rbx
    ret
    .size plain, . - plain

# no size: a label may stand anywhere
    .type unsized, @function
unsized:
    push %rbx
    nop
    pop %rbx
    ret
    .type unsized_middle, @function
unsized_middle:
    pop %rbx
    ret

# recalls what was never remembered
    .type damaged, @function
damaged:
    .cfi_startproc
    .cfi_escape 0x0b
    nop
    ret
    .cfi_endproc
    .size damaged, . - damaged

# what an interrupt has made, so said by the tables
    .type signal, @function
signal:
    .cfi_startproc simple
    .cfi_signal_frame
    .cfi_def_cfa %rsp, 40
    .cfi_offset %rip, -40
    .cfi_offset %rsp, -16
    nop
    iretq
    .cfi_endproc
    .size signal, . - signal

# the same, but the tables take it for a function
    .type interrupt, @function
interrupt:
    .cfi_startproc
    nop
    iretq
    .cfi_endproc
    .size interrupt, . - interrupt

# the same without tables, as kernels have it: it calls a handler
    .type taken, @function
taken:
    push %rbp
    mov %rsp, %rbp
    push %rax
    call framed
back_taken:
    pop %rax
    pop %rbp
    iretq
    .size taken, . - taken

# a stack of its own, for good
    .type begins, @function
begins:
    mov %rdi, %rsp
in_begins:
    push $0
    call *%rsi
back_begun:
    hlt
    .size begins, . - begins

# another stack, for a while
    .type switched, @function
switched:
    mov %rsp, %rbx
    mov %rdi, %rsp
in_switched:
    call *%rsi
    mov %rbx, %rsp
    ret
    .size switched, . - switched

# the same stack
    .type aligned, @function
aligned:
    and $-16, %rsp
in_aligned:
    call *%rsi
    hlt
    .size aligned, . - aligned

# entries of two vectors under one name: a handler behind them
    .type vectors, @function
vectors:
    push $0
    push $0
    jmp interrupt
second_vector:
    push $0
    push $1
    jmp interrupt
    .size vectors, . - vectors

# a kernel's own gates: each pushes two words and jumps to a label, which saves registers, and
# goes on where its handler says
own_gate:
    push $0
    push $14
    jmp own_common
own_common:
    push %rax
    push %rcx
    push %rdx
    mov %rsp, %rdi
    call framed
    mov %rax, %rsp
    pop %rdx
    pop %rcx
    pop %rax
    add $16, %rsp
    iretq

# the same in functions, of which the second one returns
    .type own_begin, @function
own_begin:
    push %rax
    call framed
back_own_begin:
    jmp own_end
    .size own_begin, . - own_begin
    .type own_end, @function
own_end:
    pop %rax
    add $16, %rsp
    iretq
    .size own_end, . - own_end

# where a thread ends, and its first function, which nobody calls
    .balign 16
    .type cleanup, @function
cleanup:
    ret
    .size cleanup, . - cleanup
    .type begin_thread, @function
begin_thread:
    push %rbx
in_begin_thread:
    pop %rbx
    ret
    .size begin_thread, . - begin_thread
