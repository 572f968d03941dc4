/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entry and the exit of the agent's interrupt. An entry finds the core on
 * which it runs, leaves the interrupted stack after two words, and saves the
 * registers that C functions do not keep on the core's own stack. There is one
 * entry for each way to find the core (tprof_cpu_source), so that no way costs
 * time for another.
 *
 * A core's stack ends at the beginning of its struct tprof_cpu, so one address
 * is enough for both. The interrupted stack has, downwards: 40 bytes that the
 * CPU pushed, RAX, RDX.
 */
#define SAVED_RIP     16
#define CPU_INSIDE    0          /* in struct tprof_cpu */
#define LAPIC_ID      0x20
#define LAPIC_EOI     0xb0
#define TSC_AUX_FIRST 0x74707200 /* TPROF_TSC_AUX_FIRST, isr.h */

        .text

/* A function that is called from outside, in ELF and in COFF (EFI) */
        .macro  begin name
        .globl  \name
#ifdef __ELF__
        .hidden \name
#endif
\name:
        .endm

        .macro  end name
#ifdef __ELF__
        .type   \name, @function
        .size   \name, . - \name
#endif
        .endm

/* Save and restore the registers that a C function does not keep, besides RAX,
 * RCX, RDX. */
        .macro  save
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11
        cld
        .endm

        .macro  restore
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        .endm

        .macro  entry name
        begin   \name
        endbr64                             /* a gate leads here */
        pushq   %rax
        pushq   %rdx
        .endm

        entry   tprof_isr_gs
        movl    tprof_gs_offset(%rip), %eax
        movl    %gs:(%rax), %eax
/* From here on all entries are the same. The core's index is in EAX.
 * tprof_present is NULL on a core that has left, and only the core itself writes
 * it (agent.h). So no other core can give the memory of this core back between
 * the load of the pointer and the iretq. */
tprof_isr_on_core:
        cmpl    tprof_cpus(%rip), %eax
        jae     tprof_isr_unknown
        leaq    tprof_present(%rip), %rdx
        movq    (%rdx, %rax, 8), %rdx       /* its struct tprof_cpu */
        testq   %rdx, %rdx
        jz      tprof_isr_absent
        btsl    $0, CPU_INSIDE(%rdx)        /* set it; was it set already? */
        jc      tprof_isr_inside
        movq    %rsp, %rax
        movq    %rdx, %rsp
        pushq   %rax
        pushq   %rcx
        save
        movq    %rdx, %rdi                  /* cpu */
        leaq    SAVED_RIP(%rax), %rsi       /* the words that the CPU pushed */
        movq    %rbp, %rdx
        call    tprof_interrupt
        restore
        popq    %rcx
        movl    $0, 8 + CPU_INSIDE(%rsp)    /* one word of the stack is left */
        popq    %rsp
        popq    %rdx
        popq    %rax
        iretq
        end     tprof_isr_gs

/* The core's stack is in use, because a hook that runs on it has switched
 * interrupts on. All words of that stack must stay unchanged, so this interrupt
 * stays on the stack that it has interrupted. */
tprof_isr_inside:
        pushq   %rcx
        save
        movq    %rdx, %rdi                  /* cpu */
        call    tprof_interrupt_inside
        restore
        popq    %rcx
        popq    %rdx
        popq    %rax
        iretq

        entry   tprof_isr_single
        xorl    %eax, %eax
        jmp     tprof_isr_on_core
        end     tprof_isr_single

        entry   tprof_isr_tsc_aux
        pushq   %rcx
        rdtscp
        leal    -TSC_AUX_FIRST(%rcx), %eax
        popq    %rcx
        jmp     tprof_isr_on_core
        end     tprof_isr_tsc_aux

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
2:      pushq   %rcx
        leaq    tprof_apic_ids(%rip), %rdx
        movl    %eax, %ecx
3:      andl    $511, %ecx                  /* as find_id(), cores.c */
        cmpl    %eax, (%rdx, %rcx, 4)
        je      4f
        cmpl    $-1, (%rdx, %rcx, 4)
        leal    1(%rcx), %ecx
        jne     3b
        movl    $-1, %eax                   /* has not joined */
        jmp     5f
4:      leaq    tprof_apic_to_cpu(%rip), %rdx
        movzbl  (%rdx, %rcx), %eax
5:      popq    %rcx
        jmp     tprof_isr_on_core
        end     tprof_isr_apic

/*
 * The kernel's hook must not run on the interrupted stack either, and this
 * core's own stack is not known before the hook has run. So the hook runs on
 * any free one of the stacks for hooks. There are as many of them as cores, and
 * each core uses one at a time. tprof_present does not guard these stacks: a
 * core that has left may be here while another core is in tprof_exit().
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
        save
        call    tprof_ask_cpu_index
        movl    %eax, %eax                  /* the ABI leaves it undefined */
        restore
        popq    %rbx
        popq    %rsp
        movl    $0, (%rbx)                  /* release */
4:      popq    %rbx
        popq    %rcx
        jmp     tprof_isr_on_core
        end     tprof_isr_hook

/* A core that has left: the interrupt was on its way, and is not counted. */
tprof_isr_absent:
        leaq    tprof_cpu(%rip), %rdx
        cmpq    $0, (%rdx, %rax, 8)
        jne     tprof_isr_end_it

/* A core that has not joined. Its interrupt must be ended, too. */
tprof_isr_unknown:
        lock incq tprof_unknown_cpu(%rip)
tprof_isr_end_it:
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
        end     tprof_isr_unknown

/* See arch.h. */
        begin   tprof_arch_on_stack
        pushq   %rbp
        movq    %rsp, %rbp
        movq    %rdi, %rsp
        call    *%rdx
        movq    %rbp, %rsp
        popq    %rbp
        ret
        end     tprof_arch_on_stack

#ifdef __ELF__
        .section .note.GNU-stack, "", @progbits
#endif
