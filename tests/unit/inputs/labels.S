/* SPDX-License-Identifier: BSD-2-Clause */
/* Assembler: functions with and without size, labels, aliases, escapes. */
    .text
    .globl _start, strong_alias
    .weak weak_alias

    .type _start, @function
_start:
    push %rbp
    mov %rsp, %rbp
inside_sized:               /* a label within a sized function is no function */
    call bare_label
    leave
    ret
    .size _start, . - _start

bare_label:                 /* no type, no size: up to the next symbol */
    xor %eax, %eax
    ret

weak_alias:
strong_alias:
    .type strong_alias, @function
local_alias:
    nop
    ret
    .size strong_alias, . - strong_alias

/* the test writes what a hostile symbol table may hold over this name */
evil_name_with_room:
    nop
    ret

no_symbol_follows:
    nop
    ret

    .data
not_code:
    .quad 0
