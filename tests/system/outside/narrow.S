# SPDX-License-Identifier: BSD-2-Clause
# A boot sector that writes to port 0xe9 for ever: in real mode, or with -DPROTECTED in 32-bit
# protected mode.
    .code16
    .globl _start
_start:
#ifdef PROTECTED
    cli
    xorw %ax, %ax
    movw %ax, %ds
    lgdtl table
    movl %cr0, %eax
    orb $1, %al
    movl %eax, %cr0
    ljmpl $8, $wide
    .code32
wide:
#endif
    movw $0xe9, %dx
1:  movb $'.', %al
    outb %al, %dx
    movl $1000000, %ecx
2:  decl %ecx
    jnz 2b
    jmp 1b

#ifdef PROTECTED
    .balign 8
gdt:
    .quad 0, 0x00cf9a000000ffff # code of 32 bits
table:
    .word table - gdt - 1
    .long gdt
#endif
    .org 510
    .word 0xaa55
