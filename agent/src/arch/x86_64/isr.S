/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interrupt's way in and out. It finds out on which core it is, leaves the
 * interrupted stack after two words, and saves on the core's own what C does
 * not. One entry for each way to know the core (tprof_cpu_source), so that
 * none pays for another's.
 *
 * A core's stack ends where its struct tprof_cpu begins, so one address is
 * both. An interrupted stack has, from the new RSP down: 40 bytes that the CPU
 * pushed, RAX, RDX.
 */
        .set SAVED_RIP, 16
        .set LAPIC_ID, 0x20
        .set LAPIC_EOI, 0xb0
        .set UNKNOWN_CPU, 16                /* in struct tprof_troubles */
        .set TSC_AUX_FIRST, 0x74707200      /* TPROF_TSC_AUX_FIRST, agent.h */

        .text

        .macro entry name
        .globl  \name
        .hidden \name
        .type   \name, @function
\name:  pushq   %rax
        pushq   %rdx
        .endm

        entry   tprof_isr_gs
        movl    tprof_gs_offset(%rip), %eax
        movl    %gs:(%rax), %eax
/* From here on it is the same for all: the core's number is in EAX. */
tprof_isr_on_core:
        cmpl    tprof_cpus(%rip), %eax
        jae     tprof_isr_unknown
        leaq    tprof_cpu(%rip), %rdx
        movq    (%rdx, %rax, 8), %rdx       /* its struct tprof_cpu */
        testq   %rdx, %rdx
        jz      tprof_isr_unknown
        movq    %rsp, %rax
        movq    %rdx, %rsp
        pushq   %rax
        pushq   %rcx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11
        cld
        movq    %rdx, %rdi                  /* cpu */
        leaq    SAVED_RIP(%rax), %rsi       /* what the CPU pushed */
        movq    %rbp, %rdx
        call    tprof_interrupt
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rcx
        popq    %rsp
        popq    %rdx
        popq    %rax
        iretq
        .size   tprof_isr_gs, . - tprof_isr_gs

        entry   tprof_isr_single
        xorl    %eax, %eax
        jmp     tprof_isr_on_core
        .size   tprof_isr_single, . - tprof_isr_single

        entry   tprof_isr_tsc_aux
        pushq   %rcx
        rdtscp
        leal    -TSC_AUX_FIRST(%rcx), %eax
        popq    %rcx
        jmp     tprof_isr_on_core
        .size   tprof_isr_tsc_aux, . - tprof_isr_tsc_aux

        entry   tprof_isr_apic
        movq    tprof_apic_registers(%rip), %rax
        testq   %rax, %rax
        jz      1f
        movl    LAPIC_ID(%rax), %eax
        shrl    $24, %eax
        jmp     2f
1:      pushq   %rcx                        /* x2APIC */
        movl    $0x802, %ecx
        rdmsr
        popq    %rcx
        movzbl  %al, %eax                   /* start_cpu refuses greater ones */
2:      leaq    tprof_apic_to_cpu(%rip), %rdx
        movzbl  (%rdx, %rax), %eax
        jmp     tprof_isr_on_core
        .size   tprof_isr_apic, . - tprof_isr_apic

/*
 * The kernel's hook must not run on the interrupted stack either, and which
 * stack is this core's is not known before. So it runs on any that is free:
 * there are as many as cores, and each core takes one at a time.
 */
        entry   tprof_isr_hook
        pushq   %rcx
        pushq   %rbx
        xorl    %ecx, %ecx
1:      leaq    tprof_hook_stack(%rip), %rdx
        movq    (%rdx, %rcx, 8), %rbx
        movl    $1, %eax
        testq   %rbx, %rbx
        jz      2f
        xchgl   %eax, (%rbx)                /* free? acquire */
        testl   %eax, %eax
        jz      3f
2:      incl    %ecx
        cmpl    tprof_cpus(%rip), %ecx
        jb      1b
        movl    $-1, %eax
        jmp     4f
3:      movq    %rsp, %rax
        movq    %rbx, %rsp
        pushq   %rax
        pushq   %rbx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11
        cld
        call    tprof_ask_cpu_index
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rbx
        popq    %rsp
        movl    $0, (%rbx)                  /* release */
4:      popq    %rbx
        popq    %rcx
        jmp     tprof_isr_on_core
        .size   tprof_isr_hook, . - tprof_isr_hook

/* A core that did not join. Its interrupt must be ended all the same. */
        .type   tprof_isr_unknown, @function
tprof_isr_unknown:
        lock incq UNKNOWN_CPU + tprof_troubles(%rip)
        movq    tprof_apic_registers(%rip), %rax
        testq   %rax, %rax
        jz      1f
        movl    $0, LAPIC_EOI(%rax)
        jmp     2f
1:      pushq   %rcx                        /* x2APIC */
        movl    $0x80b, %ecx
        xorl    %eax, %eax
        xorl    %edx, %edx
        wrmsr
        popq    %rcx
2:      popq    %rdx
        popq    %rax
        iretq
        .size   tprof_isr_unknown, . - tprof_isr_unknown

/*
 * void tprof_on_stack(struct tprof_cpu *cpu, const struct tprof_regs *regs,
 *                     void (*function)(struct tprof_cpu *,
 *                                      const struct tprof_regs *)):
 * calls (function) on the core's own stack. Interrupts are off.
 */
        .globl  tprof_on_stack
        .hidden tprof_on_stack
        .type   tprof_on_stack, @function
tprof_on_stack:
        pushq   %rbp
        movq    %rsp, %rbp
        movq    %rdi, %rsp
        call    *%rdx
        movq    %rbp, %rsp
        popq    %rbp
        ret
        .size   tprof_on_stack, . - tprof_on_stack

        .section .note.GNU-stack, "", @progbits
