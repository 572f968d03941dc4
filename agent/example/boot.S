/* SPDX-License-Identifier: BSD-2-Clause */
/* From the PVH entry, in flat 32-bit mode, to kernel_main() in 64-bit mode */

    /* QEMU's -kernel starts an ELF file that has this: note 18 of Xen, the
     * entry */
    .section .note.pvh, "a", @note
    .balign 4
    .long 4, 8, 18
    .asciz "Xen"
    .quad boot

    .text
    .code32
    .globl boot
boot:
    lgdt gdt_pointer
    movl $0x10, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movl $0x20, %eax /* PAE */
    movl %eax, %cr4
    movl $page_map, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx /* EFER: long mode */
    rdmsr
    orl $0x100, %eax
    wrmsr
    movl %cr0, %eax
    orl $0x80000001, %eax /* paging, protected mode */
    movl %eax, %cr0
    ljmp $0x08, $boot_64

    .code64
boot_64:
    leaq stack_end, %rsp
    xorl %ebp, %ebp /* the chain of frames ends here */
    call kernel_main
1:  hlt
    jmp 1b

    /* the interrupt of a local APIC without a source: nothing to acknowledge */
    .globl spurious
spurious:
    iretq

    .section .rodata
    .balign 8
gdt:
    .quad 0
    .quad 0x00af9a000000ffff /* 0x08: 64-bit code */
    .quad 0x00cf92000000ffff /* 0x10: data */
gdt_pointer:
    .word gdt_pointer - gdt - 1
    .long gdt

    /* The first 4 GiB, with the local APIC in it, one to one. */
    .data
    .balign 4096
page_map:
    .quad page_pointers + 3
    .fill 511, 8, 0
page_pointers:
    .quad pages + 3, pages + 0x1003, pages + 0x2003, pages + 0x3003
    .fill 508, 8, 0
pages:
    .set page, 0
    .rept 2048
    .quad page << 21 | 0x83
    .set page, page + 1
    .endr

    .bss
    .balign 16
    .skip 16384
stack_end:

    .section .note.GNU-stack, "", @progbits
