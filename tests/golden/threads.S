/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What other golden reports are of: a kernel's threads, and a run-time library
 * of Free Pascal that was compiled without frames. Never run, only looked at.
 * threads.elf is committed, and was made by
 *
 *     as threads.S -o threads.o
 *     ld -N -Ttext=0x200000 \
 *         --build-id=0x0123456789abcdef0123456789abcdef01234599 \
 *         -e consumer threads.o -o threads.elf
 */
    .text
    .macro function name
    .globl "\name"
    .type "\name", @function
"\name":
    .endm
    .macro end name
    .size "\name", . - "\name"
    .endm
    .macro frame
    push %rbp
    mov %rsp, %rbp
    .endm

    function consumer       /* a thread's outermost function: nobody calls it */
    frame
1:  call seventy            /* returns to 0x09 */
    call spin               /* returns to 0x0e */
    call main              /* returns to 0x13 */
    jmp 1b
    end consumer

    function seventy
    frame
    mov $70, %ecx
1:  dec %ecx                /* 0x1e */
    jnz 1b
    pop %rbp
    ret
    end seventy

    function spin           /* no frame, and calls nobody */
    mov $30, %ecx
1:  dec %ecx                /* 0x29 */
    jnz 1b
    ret
    end spin

    function main
    frame
    call SYSTEM_$$_THREADSWITCH     /* returns to 0x37 */
    call SYSTEM_$$_THREADSWITCH
    pop %rbp
    ret
    end main

    function SYSTEM_$$_THREADSWITCH /* no frame, and calls others */
    sub $8, %rsp
    call PROCESS_$$_SYSTHREADSWITCH /* returns to 0x47 */
    add $8, %rsp
    ret
    end SYSTEM_$$_THREADSWITCH

    function PROCESS_$$_SYSTHREADSWITCH
    frame
    mov $9, %ecx
1:  dec %ecx                /* 0x55 */
    jnz 1b
    pop %rbp
    ret
    end PROCESS_$$_SYSTHREADSWITCH

    .balign 16              /* from 0x5b on: in no function */
    function thread_cleanup /* at 0x60; laid as a thread's return address */
1:  hlt
    jmp 1b
    end thread_cleanup

    .org 0x127
    .globl tprof_anchor
tprof_anchor:
