/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the PVH entry, and from a start-up IPI, to 64-bit C in the highest 2 GiB.
 * Instead of common/boot.S. Once there nothing is mapped one to one: memory and
 * devices are at GUEST_DIRECT_MAP, the image at its own address.
 */
#include "long_mode.inc"

    .set BASE, 0xffffffff80000000 /* of what is linked; physical: less that */

    pvh_note
    .quad boot_pvh - BASE

    .text
    .code32
    .globl boot_pvh
    .type boot_pvh, @function
boot_pvh: /* flat 32-bit protected mode, ebx = struct hvm_start_info */
    cli
    cld
    movl %ebx, boot_info - BASE
    lgdt gdt_ptr_low - BASE
    /* fall through */

    .type boot_long_mode, @function
boot_long_mode:
    movl $pml4_low - BASE, %eax
    enter_long_mode
    ljmp $SEL_CODE64, $boot_64 - BASE
    .size boot_pvh, . - boot_pvh

    .code64
    .type boot_64, @function
boot_64:
    movq $1f, %rax
    jmp *%rax
1:  movq $pml4 - BASE, %rax
    movq %rax, %cr3 /* from here on nothing is where it was */
    lgdt gdt_ptr(%rip)
    movq boot_stack(%rip), %rsp
    xorl %ebp, %ebp /* the frame chain ends here */
    call *boot_entry(%rip)
2:  cli
    hlt
    jmp 2b
    .size boot_64, . - boot_64

    .section .rodata
    trampoline gdt, gdt_end, boot_long_mode, BASE

    .balign 8
gdt:
    flat_gdt
gdt_end:
gdt_ptr_low:
    .word gdt_end - gdt - 1
    .long gdt - BASE
gdt_ptr:
    .word gdt_end - gdt - 1
    .quad gdt

    .data
    .balign 8
    .globl boot_info, boot_stack, boot_entry
boot_info:
    .quad 0
boot_stack:
    .quad stack_end
boot_entry:
    .quad guest_boot

    .balign 4096
pml4: /* the kernel's */
    .fill 256, 8, 0
    .quad pdpt_memory - BASE + TABLE /* GUEST_DIRECT_MAP */
    .fill 254, 8, 0
    .quad pdpt_image - BASE + TABLE
pml4_low: /* on the way there */
    .quad pdpt_memory - BASE + TABLE
    .fill 510, 8, 0
    .quad pdpt_image - BASE + TABLE
pdpt_memory:
    .set page, 0
    .rept 4
    .quad pd_memory - BASE + TABLE + 4096 * page
    .set page, page + 1
    .endr
    .fill 508, 8, 0
pdpt_image:
    .fill 510, 8, 0
    .quad pd_memory - BASE + TABLE
    .quad 0
pd_memory: /* the first 4 GiB */
    map_4_gib

    .bss
    .balign 16
    .skip 65536
stack_end:

    .section .note.GNU-stack, "", @progbits
