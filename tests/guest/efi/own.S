/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a core starts, and where exceptions end. Assembles as ELF and as COFF. */

/* struct start, own.c, at the end of the page */
#define START      (4096 - 64)
#define CR0        (START + 0)
#define CR3        (START + 8)
#define CR4        (START + 16)
#define EFER       (START + 24)
#define STACKS     (START + 32)
#define ENTRY      (START + 40)
#define GDT        (START + 48)
#define FAR        (START + 58)
#define STACK_SIZE 16384

        .text
        .globl  own_ap_begin, own_ap_long, own_ap_end, own_fault_entry, own_left_over_entry
#ifdef __ELF__
        .hidden own_ap_begin, own_ap_long, own_ap_end, own_fault_entry, own_left_over_entry
#endif

/*
 * In real mode, at the beginning of a page: CS is its number << 8. Straight into
 * long mode, with the boot core's control registers.
 */
        .code16
own_ap_begin:
        cli
        movw    %cs, %bx
        movw    %bx, %ds
        movzwl  %bx, %ebx
        shll    $4, %ebx                    /* the page's address */
        movl    CR4, %eax
        movl    %eax, %cr4
        movl    CR3, %eax
        movl    %eax, %cr3
        movl    $0xc0000080, %ecx
        movl    EFER, %eax
        xorl    %edx, %edx
        wrmsr
        lgdtl   GDT
        movl    CR0, %eax
        movl    %eax, %cr0
        ljmpl   *FAR
        .code64
own_ap_long:
        movl    $16, %eax
        movl    %eax, %ds
        movl    %eax, %es
        movl    %eax, %ss
        movl    %ebx, %ebx
        movl    $STACK_SIZE, %eax
        lock xaddq %rax, STACKS(%rbx)
        leaq    STACK_SIZE(%rax), %rsp
        xorl    %ebp, %ebp
        call    *ENTRY(%rbx)
1:      cli
        hlt
        jmp     1b
own_ap_end:

own_fault_entry:
        movq    %rsp, %rdi
        cld
        call    own_fault

/* An interrupt that the firmware asked for, and nobody wants. */
own_left_over_entry:
        pushq   %rax
        movl    $0xfee000b0, %eax           /* the local APIC's EOI */
        movl    $0, (%rax)
        popq    %rax
        iretq

#ifdef __ELF__
        .section .note.GNU-stack, "", @progbits
#endif
