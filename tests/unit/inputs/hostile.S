/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DWARF that no compiler makes, one kind for each macro: origins in a CIRCLE
 * and siblings that lead back; scopes as DEEP as there is room; LISTS of ranges
 * that are read again and again; a line table with COUNTS of nothing.
 */
    .text
    .globl _start, target
    .type _start, @function
_start:
    ret
    .size _start, . - _start
    .type target, @function
target:
    nop
    ret
    .size target, . - target
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
    .quad target
    .long 2
#ifdef DEEP
    .rept 1000000
    .uleb128 3
    .long first - unit
    .quad target
    .long 2
    .endr
#endif
#ifdef LISTS
    .rept 100000
    .uleb128 4
    .long 0
    .endr
#endif
    .byte 0
second:
    .uleb128 2
    .long first - unit      /* a sibling before it */
    .long first - unit
    .quad _start
    .long 1
    .byte 0, 0
unit_end:

    .section .debug_ranges
#ifdef LISTS
    .fill 2000000, 8, 1     /* ranges from 1 to 1, that is, none */
#endif
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
#ifdef COUNTS
    .byte 0                 /* no columns, */
    .uleb128 0xffffffffffff /* of very many directories */
#else
    .byte 0, 0, 0, 0
#endif
program:
    .byte 1
lines_end:
