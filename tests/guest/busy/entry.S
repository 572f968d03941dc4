/* SPDX-License-Identifier: BSD-2-Clause */
/* A gate of the kernel's own before the profiler's: it counts what comes in. */
        .text
        .globl  counted_entry
        .type   counted_entry, @function
counted_entry:
        lock incq counted_entries(%rip)
        jmp     *counted_target(%rip)
        .size   counted_entry, . - counted_entry

        .section .note.GNU-stack, "", @progbits
