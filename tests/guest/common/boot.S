/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the PVH entry, and from a start-up IPI, to 64-bit C. Every core takes
 * the same road; (boot_stack) and (boot_entry) say where it leads.
 */
#include "long_mode.inc"

    pvh_note
    .quad boot_pvh

    .text
    .code32
    .globl boot_pvh
    .type boot_pvh, @function
boot_pvh: /* flat 32-bit protected mode, ebx = struct hvm_start_info */
    cli
    cld
    movl %ebx, boot_info
    lgdt boot_gdt_ptr
    /* fall through */

    .type boot_long_mode, @function
boot_long_mode:
    movl $boot_pml4, %eax
    enter_long_mode
    ljmp $SEL_CODE64, $boot_64
    .size boot_pvh, . - boot_pvh

    .code64
    .type boot_64, @function
boot_64:
    movq boot_stack, %rsp
    xorl %ebp, %ebp /* the frame chain ends here */
    call *boot_entry
1:  cli
    hlt
    jmp 1b
    .size boot_64, . - boot_64

    .section .rodata
    trampoline boot_gdt, boot_gdt_end, boot_long_mode

    .balign 8
boot_gdt:
    flat_gdt
boot_gdt_end:
boot_gdt_ptr:
    .word boot_gdt_end - boot_gdt - 1
    .long boot_gdt

    .data
    .balign 8
    .globl boot_info, boot_stack, boot_entry
boot_info:
    .quad 0
boot_stack:
    .quad core_stacks_first_end
boot_entry:
    .quad guest_boot

    /* The first 4 GiB, mapped one to one in pages of 2 MiB; see page.c. */
    .balign 4096
    .globl boot_pd
boot_pml4:
    .quad boot_pdpt + 3
    .fill 511, 8, 0
boot_pdpt:
    .quad boot_pd + 3
    .quad boot_pd + 0x1003
    .quad boot_pd + 0x2003
    .quad boot_pd + 0x3003
    .fill 508, 8, 0
boot_pd:
    map_4_gib

    .bss
    .balign 16
    .skip 65536 /* core 0's stack; the others have theirs in core.c */
core_stacks_first_end:

    .section .note.GNU-stack, "", @progbits
