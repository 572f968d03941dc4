/* SPDX-License-Identifier: BSD-2-Clause */
/* Each label after_WHAT stands behind the instruction WHAT, or behind nothing
 * that holds an interrupt up ("none"). */
        .text
        .globl _start
        .type _start, @function
_start:
        sti
after_sti_shadow:
        nop
after_sti:
        nop
after_none_any_more:
        pushf
        popf
after_popf:
        inb $0x60, %al
after_in_imm:
        in %dx, %al
after_in_al:
        inw %dx, %ax
after_in_ax:
        outb %al, $0x80
after_out_imm:
        outl %eax, %dx
after_out_eax:
        cpuid
after_cpuid:
        rdtsc
after_rdtsc:
        rdtscp
after_rdtsc_p:
        rdmsr
after_rdmsr:
        wrmsr
after_wrmsr:
        /* bytes of such instructions within others */
        mov $0xfb9decee, %eax
after_none_imm:
        mov $0x310f, %eax
after_none_imm2:
        mov $0xfb, %al
after_none_imm3:
        hlt
after_none_hlt:
        sti
        call other
after_none_call:
        sti
        ret
        .size _start, . - _start
        .type other, @function
other:
after_none_other_function:
        nop
loop_back:
        dec %edi
        jnz loop_back
        ret
        .size other, . - other
        .globl looped
        .type looped, @function
looped:
        dec %edi
        jnz looped
        ret
        .size looped, . - looped
