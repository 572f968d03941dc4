/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's virt machine begins here in EL1. Core 0 turns the signing of return
 * addresses on. */
    .arch armv8.3-a
    .section .text.start, "ax"
    .globl _start
    .type _start, %function
_start:
    ldr x0, =stack_end
    mov sp, x0
    mov x29, xzr
    mov x30, xzr
    mov x0, #0x1234
    msr apiakeylo_el1, x0
    msr apiakeyhi_el1, x0
    mrs x0, sctlr_el1
    orr x0, x0, #(1 << 31)
    msr sctlr_el1, x0
    isb
    bl run
    b .
    .size _start, . - _start

    .bss
    .balign 16
    .skip 16384
stack_end:
