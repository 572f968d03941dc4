/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Brings each core from QEMU's or PSCI's start to C: a stack, vectors, and the
 * first two GiB mapped one to one, the first for devices.
 */
#define STACK_SIZE 16384

#define BLOCK_DEVICE 0x0000000000000401 /* accessed, attribute 0 */
#define BLOCK_RAM    0x0000000040000705 /* accessed, inner, attribute 1 */
#define MAIR         0xff04             /* write-back; device nGnRE */
#define TCR          0x0000000200803519 /* 39 bits by TTBR0 alone, 40 bits out */
#define SCTLR_ON     0x1005             /* MMU, data and instruction caches */

        .text
        .globl boot, boot_second
        .type boot, %function
        .type boot_second, %function
boot:   mov     x19, #0
        b       1f
boot_second:
        mov     x19, x0                 /* the number of the core */
1:      adrp    x1, tables
        add     x1, x1, :lo12:tables
        msr     ttbr0_el1, x1
        ldr     x1, =MAIR
        msr     mair_el1, x1
        ldr     x1, =TCR
        msr     tcr_el1, x1
        isb
        mrs     x1, sctlr_el1
        ldr     x2, =SCTLR_ON
        orr     x1, x1, x2
        msr     sctlr_el1, x1
        isb
        ldr     x1, =vectors
        msr     vbar_el1, x1
        msr     tpidr_el1, xzr
        ldr     x1, =stacks + STACK_SIZE
        mov     x2, #STACK_SIZE
        madd    x1, x19, x2, x1
        mov     sp, x1
        isb
        mov     x29, xzr                /* the chain of frames ends here */
        mov     x30, xzr
        mov     x0, x19
        bl      kernel_core
2:      wfi
        b       2b
        .size boot, . - boot

/* The interrupted code, as struct tprof_interrupted has it, above the registers
 * that a C function does not keep */
        .macro  vector label
        .balign 128
        b       \label
        .endm

        .balign 2048
        .type vectors, %function
vectors:
        .rept 5
        vector  fault
        .endr
        vector  irq
        .rept 10
        vector  fault
        .endr
        .size vectors, . - vectors

        .type irq, %function
irq:    sub     sp, sp, #224
        stp     x0, x1, [sp]
        stp     x2, x3, [sp, #16]
        stp     x4, x5, [sp, #32]
        stp     x6, x7, [sp, #48]
        stp     x8, x9, [sp, #64]
        stp     x10, x11, [sp, #80]
        stp     x12, x13, [sp, #96]
        stp     x14, x15, [sp, #112]
        stp     x16, x17, [sp, #128]
        stp     x18, x30, [sp, #144]
        mrs     x0, elr_el1
        mrs     x1, spsr_el1
        stp     x0, x1, [sp, #160]
        add     x1, sp, #224
        stp     x0, x1, [sp, #192]
        stp     x29, x30, [sp, #208]
        add     x0, sp, #192
        bl      kernel_irq
        ldp     x0, x1, [sp, #160]
        msr     elr_el1, x0
        msr     spsr_el1, x1
        ldp     x0, x1, [sp]
        ldp     x2, x3, [sp, #16]
        ldp     x4, x5, [sp, #32]
        ldp     x6, x7, [sp, #48]
        ldp     x8, x9, [sp, #64]
        ldp     x10, x11, [sp, #80]
        ldp     x12, x13, [sp, #96]
        ldp     x14, x15, [sp, #112]
        ldp     x16, x17, [sp, #128]
        ldp     x18, x30, [sp, #144]
        add     sp, sp, #224
        eret
        .size irq, . - irq

        .type fault, %function
fault:  mrs     x0, esr_el1
        mrs     x1, elr_el1
        mrs     x2, far_el1
        bl      kernel_fault
        .size fault, . - fault

        .section .rodata
        .balign 4096
tables: .quad   BLOCK_DEVICE, BLOCK_RAM
        .skip   4096 - 16

        .bss
        .balign 16
        .globl stacks
stacks: .skip   4 * STACK_SIZE

        .section .note.GNU-stack, "", %progbits
