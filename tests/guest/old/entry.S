/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The multiboot header of a kernel that goes by its script's symbols: the loader
 * brings the file's bytes up to bss_start, and zeroes those up to end. From
 * there on the kit goes on, as if by its PVH entry.
 */
#define MAGIC 0x1badb002
#define FLAGS 0x00010000 /* the addresses below are valid */

    .section .multiboot, "ax"
    .balign 4
    .globl header
header:
    .long MAGIC, FLAGS, -(MAGIC + FLAGS)
    .long header, load_start, bss_start, end, old_entry

    .text
    .code32
    .globl old_entry
    .type old_entry, @function
old_entry: /* flat 32-bit protected mode, ebx = the multiboot information */
    movl 16(%ebx), %eax
    movl %eax, start_info + 24 /* the command line */
    movl $start_info, %ebx
    jmp boot_pvh
    .size old_entry, . - old_entry

    .data
    .balign 8
start_info: /* PVH's struct hvm_start_info, as far as the kit reads it */
    .skip 56

    .section .note.GNU-stack, "", @progbits
