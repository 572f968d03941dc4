/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions without frames. A sample brings four words of its stack along: in the
 * marked bytes the return address is one of them, or there is but one call. */
        .macro  begin name
        .globl  \name
        .type   \name, @function
\name:
        .endm

        .macro  end name
        .size   \name, . - \name
        .endm

        .text
        begin   _start          /* 26 of 26 */
        call    deep
        call    deep
        call    leaf
        call    leaf
        call    once
        hlt
        end     _start

        begin   deep            /* 13 of 24 */
        push    %rbx            /* 1: no word above it */
        push    %r12            /* 2 */
        push    %r13            /* 2 */
        push    %r14            /* 2: three words above it */
        push    %r15            /* four, and what follows */
        call    leaf
        pop     %r15
        pop     %r14
        pop     %r13            /* 2: three again */
        pop     %r12            /* 2 */
        pop     %rbx            /* 1 */
        ret                     /* 1 */
        end     deep

        begin   first           /* what a kernel begins with: nobody calls it */
        xor     %ebp, %ebp
        call    leaf
        hlt
        end     first

        begin   counter         /* RBP is a number here, and stacks end; 10 of 10 */
        push    %rbp
        xor     %ebp, %ebp
        call    leaf
        pop     %rbp
        ret
        end     counter

        begin   leaf            /* 3 of 3 */
        xor     %eax, %eax
        ret
        end     leaf

        begin   once            /* 14 of 14, by its only call */
        sub     $64, %rsp
        call    leaf
        add     $64, %rsp
        ret
        end     once
