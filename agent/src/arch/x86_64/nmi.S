/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entry and the exit of NMIs, which may interrupt any instruction: the
 * kernel's, those of isr.S, and those of the agent's tick. So the NMI writes
 * nothing that they use. It finds its core, leaves the interrupted stack after
 * three words, and works on the stack of the core's slot, which ends where
 * struct tprof_nmi_slot begins. Further NMIs wait for IRETQ.
 *
 * The interrupted stack has, downwards: 40 bytes that the CPU pushed, RAX, RCX,
 * RDX.
 */
#define SAVED_RIP     24
#define SLOT_BUSY     0          /* in struct tprof_nmi_slot */
#define SLOT_NESTED   4
#define LAPIC_ID      0x20
#define TSC_AUX_FIRST 0x74707200 /* TPROF_TSC_AUX_FIRST, isr.h */
#define SOURCE_APIC   0          /* enum tprof_cpu_source, nmi_gate.h */
#define SOURCE_GS     1
#define SOURCE_TSCAUX 2

#ifdef __ELF__
        /* apart from isr.S: a kernel without config.nmi drops this */
        .section .text.nmi, "ax", @progbits
        .hidden tprof_nmi_entry
#else
        .text
#endif
        .globl  tprof_nmi_entry
tprof_nmi_entry:
        endbr64                             /* a gate leads here */
        pushq   %rax
        pushq   %rcx
        pushq   %rdx
        movl    tprof_nmi_source(%rip), %ecx
        xorl    %eax, %eax
        cmpl    $SOURCE_TSCAUX, %ecx
        ja      2f                          /* a single core */
        je      1f
        cmpl    $SOURCE_GS, %ecx
        jne     3f
        movl    tprof_gs_offset(%rip), %eax
        movl    %gs:(%rax), %eax
        jmp     2f
1:      rdtscp
        leal    -TSC_AUX_FIRST(%rcx), %eax
/* The core's index is in EAX. */
2:      cmpl    tprof_cpus(%rip), %eax
        jae     9f
        leaq    tprof_nmi_slots(%rip), %rdx
        movq    (%rdx, %rax, 8), %rdx
        testq   %rdx, %rdx
        jz      9f
        btsl    $0, SLOT_BUSY(%rdx)         /* set it; was it set already? */
        jc      8f
        movq    %rsp, %rax
        movq    %rdx, %rsp
        pushq   %rax
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11
        pushq   %rdx
        cld
        movq    %rdx, %rdi                  /* slot */
        leaq    SAVED_RIP(%rax), %rsi       /* the words that the CPU pushed */
        movq    %rbp, %rdx
        call    tprof_nmi_take
        popq    %rdx
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rsp
        movl    $0, SLOT_BUSY(%rdx)
        testl   %eax, %eax
        jz      9f
7:      popq    %rdx
        popq    %rcx
        popq    %rax
        iretq

/* The slot's stack is in use, because a fault in the NMI has ended the time in
 * which further NMIs wait. */
8:      incl    SLOT_NESTED(%rdx)
        jmp     7b

/* Not the agent's NMI */
9:      cmpq    $0, tprof_nmi_old(%rip)
        je      7b
        popq    %rdx
        popq    %rcx
        popq    %rax
        jmp     *tprof_nmi_old(%rip)

/* The core by its APIC id */
3:      movq    tprof_apic_registers(%rip), %rax
        testq   %rax, %rax
        jz      4f
        movl    LAPIC_ID(%rax), %eax
        shrl    $24, %eax
        jmp     5f
4:      movl    $0x802, %ecx                /* x2APIC */
        rdmsr
5:      movl    %eax, %ecx
        leaq    tprof_apic_ids(%rip), %rdx
6:      andl    $511, %ecx                  /* as find_id(), cores.c */
        cmpl    %eax, (%rdx, %rcx, 4)
        je      1f
        cmpl    $-1, (%rdx, %rcx, 4)
        leal    1(%rcx), %ecx
        jne     6b
        jmp     9b                          /* has not joined */
1:      leaq    tprof_apic_to_cpu(%rip), %rdx
        movzbl  (%rdx, %rcx), %eax
        jmp     2b
#ifdef __ELF__
        .type   tprof_nmi_entry, @function
        .size   tprof_nmi_entry, . - tprof_nmi_entry

        .section .note.GNU-stack, "", @progbits
#endif
