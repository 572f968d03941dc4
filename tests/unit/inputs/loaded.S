/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel of a few instructions for loaders: it ends QEMU by isa-debug-exit at
 * 0xf4, with status 33. -D says which headers it has, and where parts of tprof
 * lie: in sections that loaded.ld names, or does not.
 */
        .code32
        .globl  _start, load, load_end, bss_end
        .globl  __tprof_text_start, __tprof_text_end
        .text
__tprof_text_start:
_start: movb    $0x10, %al
        outb    %al, $0xf4
1:      hlt
        jmp     1b
__tprof_text_end:

#ifdef MULTIBOOT /* the flags */
        .section .multiboot, "a"
#ifdef LATE
        .skip   LATE
#endif
        .balign 4
header: .long   0x1badb002, MULTIBOOT, -(0x1badb002 + MULTIBOOT) + BAD
        .long   header, load, load_end, bss_end, _start
#endif

#ifdef MULTIBOOT2
        .section .multiboot, "a"
        .balign 8
        .long   0xe85250d6, 0, 24, -(0xe85250d6 + 24) + BAD
        .short  0, 0
        .long   8
#endif

#ifdef PVH
        .section .note.pvh, "a", @note
        .long   4, 8, PVH
        .asciz  "Xen"
        .quad   _start
#endif

#ifdef AGENT
        .section .rodata
        .globl  tprof_anchor
        .type   tprof_anchor, @object
        .size   tprof_anchor, 12
tprof_anchor:
        .asciz  "tprof 9.8.7"
#endif

#ifdef DATA /* in this section, of this name */
        .section DATA, "aw", @progbits
        .type   NAMED, @object
        .size   NAMED, 8
NAMED:  .quad   3
#endif

        .data
        .quad   1

        .bss
        .skip   64
#ifdef BSS
        .section BSS, "aw", @nobits
        .type   NAMED, @object
        .size   NAMED, 24
NAMED:  .skip   24
#endif
        .section .note.GNU-stack, "", @progbits
