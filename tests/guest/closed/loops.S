/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops whose executed instructions have a closed form, edi rounds each. */
    .text

    /* 4 * edi + 1 */
    .globl closed_plain
    .type closed_plain, @function
closed_plain:
1:  nop
    nop
    decl %edi
    jnz 1b
    ret
    .size closed_plain, . - closed_plain

    /* 6 * edi + 1, one read of the local APIC's id each: a device access has
     * QEMU begin a block of instructions anew */
    .globl closed_device
    .type closed_device, @function
closed_device:
1:  movl $0xfee00020, %eax
    nop
    movl (%rax), %eax
    nop
    decl %edi
    jnz 1b
    ret
    .size closed_device, . - closed_device

    .section .note.GNU-stack, "", @progbits
