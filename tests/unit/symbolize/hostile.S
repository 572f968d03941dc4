/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DWARF that no compiler makes: origins in a circle, siblings that lead back,
 * scopes without end, counts without entries.
 */
    .text
    .globl _start, cyclic_origin, deep
    .type _start, @function
_start:
    ret
    .size _start, . - _start
    .type cyclic_origin, @function
cyclic_origin:
    nop
    ret
    .size cyclic_origin, . - cyclic_origin
    .type deep, @function
deep:
    nop
    ret
    .size deep, . - deep
text_end:

    .section .debug_abbrev
abbrevs:
    .uleb128 1, 0x11        /* compile_unit, children */
    .byte 1
    .uleb128 0x11, 0x01, 0x12, 0x06, 0x10, 0x17, 0, 0 /* pc, stmt_list */
    .uleb128 2, 0x2e        /* subprogram, children */
    .byte 1
    .uleb128 0x01, 0x13, 0x31, 0x13 /* sibling, abstract_origin: ref4 */
    .uleb128 0x11, 0x01, 0x12, 0x06, 0, 0
    .uleb128 3, 0x1d        /* inlined_subroutine, children */
    .byte 1
    .uleb128 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0, 0
    .uleb128 4, 0x1d        /* inlined_subroutine by a list of ranges */
    .byte 0
    .uleb128 0x55, 0x17, 0, 0
    .byte 0

    .section .debug_info
unit:
    .long unit_end - unit_start
unit_start:
    .short 4
    .long abbrevs
    .byte 8
    .uleb128 1
    .quad _start
    .long text_end - _start
    .long lines
first:
    .uleb128 2
    .long first - unit      /* its own sibling */
    .long second - unit
    .quad cyclic_origin
    .long 2
    .byte 0
second:
    .uleb128 2
    .long first - unit      /* a sibling before it */
    .long first - unit
    .quad _start
    .long 1
    .byte 0
    .uleb128 2              /* a million scopes, one in the other */
    .long 0xffffffff
    .long first - unit
    .quad deep
    .long 2
    .rept 1000000
    .uleb128 3
    .long first - unit
    .quad deep
    .long 2
    .endr
    .rept 100000            /* and a list that is read again and again */
    .uleb128 4
    .long 0
    .endr
unit_end:

    .section .debug_ranges
    .rept 100000
    .quad 1, 2
    .endr
    .quad 0, 0

    .section .debug_line
lines:
    .long lines_end - lines_start
lines_start:
    .short 5
    .byte 8, 0
    .long program - header
header:
    .byte 1, 1, 1, -3, 12, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1
    .byte 0                 /* no columns, */
    .uleb128 0xffffffffffff /* of very many directories */
program:
    .byte 1
lines_end:
