/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's memory, for 4 cores: an object of its own, which tprof_memory.ld
 * links. It is a variable like those of the kernel, so the kernel's linker
 * script treats it as one.
 */
        .section .note.GNU-stack, "", @progbits

        .bss
        .balign 64
        .globl __tprof_memory, __tprof_memory_end
        .type __tprof_memory, @object
        .size __tprof_memory, 576 << 10 /* TPROF_MEMORY(4), tprof.h */
__tprof_memory:
        .skip 576 << 10
__tprof_memory_end:
