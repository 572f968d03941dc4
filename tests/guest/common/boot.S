/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the PVH entry, and from a start-up IPI, to 64-bit C. Every core takes
 * the same road; (boot_stack) and (boot_entry) say where it leads.
 */

    .set SEL_CODE64, 0x08
    .set SEL_DATA,   0x10
    .set SEL_CODE32, 0x18

    /* Xen's PHYS32_ENTRY note: what makes `-kernel app.elf` boot this image. */
    .section .note.pvh, "a", @note
    .balign 4
    .long 4, 8, 18
    .asciz "Xen"
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
    movw $SEL_DATA, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movl $boot_pml4, %eax
    movl %eax, %cr3
    movl %cr4, %eax
    orl $0x620, %eax /* PAE; OSFXSR and OSXMMEXCPT for guests with a libc */
    movl %eax, %cr4
    movl $0xc0000080, %ecx /* EFER.LME */
    rdmsr
    orl $0x100, %eax
    wrmsr
    movl %cr0, %eax
    andl $~0x4, %eax /* EM off: SSE is there */
    orl $0x80010003, %eax /* PG, WP, MP, PE */
    movl %eax, %cr0
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

    /*
     * What a start-up IPI runs, in real mode, from the page that core.c copies
     * it to: nothing in here depends on where it lies.
     */
    .section .rodata
    .globl boot_trampoline, boot_trampoline_end
    .code16
boot_trampoline:
    cli
    cld
    lgdtl %cs:(trampoline_gdt_ptr - boot_trampoline)
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $SEL_CODE32, $boot_long_mode
trampoline_gdt_ptr:
    .word boot_gdt_end - boot_gdt - 1
    .long boot_gdt
boot_trampoline_end:

    .balign 8
boot_gdt:
    .quad 0
    .quad 0x00af9a000000ffff /* SEL_CODE64 */
    .quad 0x00cf92000000ffff /* SEL_DATA */
    .quad 0x00cf9a000000ffff /* SEL_CODE32 */
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
    .set page, 0
    .rept 2048
    .quad (page << 21) | 0x83 /* present, writable, large */
    .set page, page + 1
    .endr

    .bss
    .balign 16
    .skip 65536 /* core 0's stack; the others have theirs in core.c */
core_stacks_first_end:

    .section .note.GNU-stack, "", @progbits
