# SPDX-License-Identifier: BSD-2-Clause
# Functions with tables as Linux has them, and no others. HEADER: of 6.5 and later; UNSORTED:
# a table that says nothing. Registers: 4 RBP, 5 RSP, 7 R13, 8 and 9 in memory.
#ifdef HEADER
    .section .orc_header, "a"
    .skip 20
    .set CALL, 2 << 8
    .set REGISTERS, 3 << 8
    .set PARTIAL, 4 << 8
    .set ENDS, 1 << 8
    .set UNKNOWN, 0
#else
    .set CALL, 0 << 8
    .set REGISTERS, 1 << 8
    .set PARTIAL, 2 << 8
    .set ENDS, 1 << 10
    .set UNKNOWN, 0
#endif
    .macro row sp_register, sp, bp_register, bp, type
1:
    .pushsection .orc_unwind_ip, "a"
    .long 1b - .
    .popsection
    .pushsection .orc_unwind, "a"
    .2byte \sp, \bp, \sp_register | \bp_register << 4 | \type
    .popsection
    .endm
    .macro function name
    .globl \name
    .type \name, @function
\name:
    .endm

    .text
    .globl _start
    function root
    row 0, 0, 0, 0, ENDS
_start:
    call middle
    hlt
    .size root, . - root

    function middle
    row 5, 8, 0, 0, CALL
    push %rbp
    row 5, 16, 1, -16, CALL
    mov %rsp, %rbp
    row 4, 16, 1, -16, CALL
    call leaf
    call through
    nop
    .skip 8, 0x90
    ret
    .size middle, . - middle

    function leaf
    row 5, 8, 0, 0, CALL
    ret
    .size leaf, . - leaf

    function through
    row 7, 16, 0, 0, CALL
    ret
    row 8, 8, 0, 0, CALL
    ret
    row 9, 8, 0, 0, CALL
    ret
    .size through, . - through

    function entry
    row 5, 0, 0, 0, REGISTERS
    ret
    row 5, 0, 0, 0, PARTIAL
    ret
    row 0, 0, 0, 0, UNKNOWN
    ret
    .size entry, . - entry
#ifdef UNSORTED
    .pushsection .orc_unwind_ip, "a"
    .long _start - .
    .popsection
    .pushsection .orc_unwind, "a"
    .2byte 8, 0, 5
    .popsection
#endif
