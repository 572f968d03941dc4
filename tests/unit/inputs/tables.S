# SPDX-License-Identifier: BSD-2-Clause
# Unwind tables as linkers join them: a terminator in the middle, another encoding
# behind it.
    .text
    .globl _start
_start:
first:
    .fill 10, 1, 0x90
second:
    .fill 5, 1, 0x90
    ret

    .section .eh_frame, "a", @progbits
cie1:
    .long 2f - 1f
1:  .long 0
    .byte 1                             # version
    .asciz "zR"
    .uleb128 1
    .sleb128 -8
    .byte 16
    .uleb128 1
    .byte 0x1b                          # relative, signed, of 4 bytes
    .balign 4
2:
    .long 2f - 1f
1:  .long 1b - cie1
    .long first - .
    .long 10
    .uleb128 0
    .balign 4
2:
    .long 0                             # a terminator
cie2:
    .long 2f - 1f
1:  .long 0
    .byte 1
    .asciz "zR"
    .uleb128 1
    .sleb128 -8
    .byte 16
    .uleb128 1
    .byte 0                             # an address
    .balign 4
2:
    .long 2f - 1f
1:  .long 1b - cie2
    .quad second
    .quad 5
    .uleb128 0
    .balign 4
2:
