/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries of the 32 exceptions, all of which end in idt_fault(). */

    .text
    .altmacro

    .macro TRAP vector
trap_\vector:
    .if (\vector == 8) || (\vector == 17) || (\vector == 21) || \
        ((\vector >= 10) && (\vector <= 14)) || (\vector == 29) || \
        (\vector == 30)
    .else
    pushq $0 /* where the CPU pushes no error code */
    .endif
    pushq $\vector
    jmp trap_common
    .endm

    .macro TRAP_ADDRESS vector
    .quad trap_\vector
    .endm

    .set vector, 0
    .rept 32
    TRAP %vector
    .set vector, vector + 1
    .endr

    .type trap_common, @function
trap_common: /* does not return: no register is worth saving */
    movq %rsp, %rdi
    movq %rbp, %rsi
    andq $~0xf, %rsp
    cld
    call idt_fault
    ud2
    .size trap_common, . - trap_common

    .section .rodata
    .balign 8
    .globl trap_entries
trap_entries:
    .set vector, 0
    .rept 32
    TRAP_ADDRESS %vector
    .set vector, vector + 1
    .endr

    .section .note.GNU-stack, "", @progbits
