/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies and fills memory with general registers: isr.h. Words of 8 bytes where
 * all is aligned, because other words fault without an MMU.
 */
        .text

        .macro  begin name
        .globl  \name
        .hidden \name
        .type   \name, %function
        .balign 4
\name:
        .endm

        .macro  end name
        .size   \name, . - \name
        .endm

        begin   memcpy
        mov     x3, x0
        orr     x4, x0, x1
        tst     x4, #7
        b.ne    2f
1:      subs    x2, x2, #8
        b.lo    0f
        ldr     x4, [x1], #8
        str     x4, [x3], #8
        b       1b
0:      add     x2, x2, #8              /* up to 7 bytes are left */
2:      cbz     x2, 3f
        ldrb    w4, [x1], #1
        strb    w4, [x3], #1
        sub     x2, x2, #1
        b       2b
3:      ret
        end     memcpy

        begin   memset
        mov     x3, x0
        and     x1, x1, #0xff
        orr     x1, x1, x1, lsl #8
        orr     x1, x1, x1, lsl #16
        orr     x1, x1, x1, lsl #32
        tst     x0, #7
        b.ne    2f
1:      subs    x2, x2, #8
        b.lo    0f
        str     x1, [x3], #8
        b       1b
0:      add     x2, x2, #8
2:      cbz     x2, 3f
        strb    w1, [x3], #1
        sub     x2, x2, #1
        b       2b
3:      ret
        end     memset

        begin   memcmp
1:      cbz     x2, 2f
        ldrb    w3, [x0], #1
        ldrb    w4, [x1], #1
        sub     x2, x2, #1
        subs    w3, w3, w4
        b.eq    1b
        mov     w0, w3
        ret
2:      mov     w0, wzr
        ret
        end     memcmp

        .section .note.GNU-stack, "", %progbits
