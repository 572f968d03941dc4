/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the PVH entry to 64-bit C at another address: nothing in here says where
 * it lies. Instead of common/boot.S, for one core.
 */
#include "long_mode.inc"

    .set STACK_32,   0x1f0000 /* below the image */

    /* Its value, the entry, is the linker script's. */
    pvh_note

    .text
    .code32
    .globl boot_pvh
    .hidden boot_pvh
    .type boot_pvh, @function
boot_pvh: /* flat 32-bit protected mode, ebx = struct hvm_start_info */
    cli
    cld
    movl $STACK_32, %esp
    call 1f
1:  popl %ebp /* what lies where is said relative to this */

    /* the first 4 GiB, mapped one to one in pages of 2 MiB */
    leal (pd - 1b)(%ebp), %edi
    movl $0x83, %eax /* present, writable, large */
    movl $2048, %ecx
2:  movl %eax, (%edi)
    addl $0x200000, %eax
    addl $8, %edi
    decl %ecx
    jnz 2b
    leal (pd - 1b + 3)(%ebp), %eax
    leal (pdpt - 1b)(%ebp), %edi
    movl $4, %ecx
3:  movl %eax, (%edi)
    addl $4096, %eax
    addl $8, %edi
    decl %ecx
    jnz 3b
    leal (pdpt - 1b + 3)(%ebp), %eax
    movl %eax, (pml4 - 1b)(%ebp)

    leal (gdt - 1b)(%ebp), %eax
    movl %eax, (gdt_ptr - 1b + 2)(%ebp)
    lgdt (gdt_ptr - 1b)(%ebp)
    leal (pml4 - 1b)(%ebp), %eax
    enter_long_mode
    leal (boot_64 - 1b)(%ebp), %eax
    pushl $SEL_CODE64
    pushl %eax
    lret
    .size boot_pvh, . - boot_pvh

    .code64
    .type boot_64, @function
boot_64:
    movl %ebx, %ebx
    leaq boot_stack_end(%rip), %rsp
    xorl %ebp, %ebp /* the frame chain ends here */
    movq %rbx, %rdi
    leaq pml4(%rip), %rsi
    call pie_move /* returns the slide */
    leaq 1f(%rip), %rcx
    addq %rax, %rcx
    jmp *%rcx
1:  leaq boot_stack_end(%rip), %rsp
    movq %rbx, boot_info(%rip)
    call pie_forget /* of where we came from */
    call guest_boot
2:  cli
    hlt
    jmp 2b
    .size boot_64, . - boot_64

    .data
    .balign 8
gdt:
    flat_gdt
gdt_ptr:
    .word . - gdt - 1
    .long 0
    .balign 8
    .globl boot_info, boot_stack, boot_entry
boot_info:
    .quad 0
boot_stack: /* of other cores, which there are not */
    .quad 0
boot_entry:
    .quad 0

    .section .rodata
    .globl boot_trampoline, boot_trampoline_end
boot_trampoline:
boot_trampoline_end:

    .bss
    .balign 4096
pml4:
    .skip 4096
pdpt:
    .skip 4096
pd:
    .skip 4 * 4096
    .skip 65536
boot_stack_end:

    .section .note.GNU-stack, "", @progbits
