/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the PVH entry to 64-bit C at another address: nothing in here says where
 * it lies. Instead of common/boot.S, for one core.
 */

    .set SEL_CODE64, 0x08
    .set SEL_DATA,   0x10
    .set STACK_32,   0x1f0000 /* below the image */

    /* Its value, the entry, is the linker script's. */
    .section .note.pvh, "a", @note
    .balign 4
    .long 4, 8, 18
    .asciz "Xen"

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
    movw $SEL_DATA, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    leal (pml4 - 1b)(%ebp), %eax
    movl %eax, %cr3
    movl %cr4, %eax
    orl $0x20, %eax /* PAE */
    movl %eax, %cr4
    movl $0xc0000080, %ecx /* EFER.LME */
    rdmsr
    orl $0x100, %eax
    wrmsr
    movl %cr0, %eax
    orl $0x80010001, %eax /* PG, WP, PE */
    movl %eax, %cr0
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
    .quad 0
    .quad 0x00af9a000000ffff /* SEL_CODE64 */
    .quad 0x00cf92000000ffff /* SEL_DATA */
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
