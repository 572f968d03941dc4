/* SPDX-License-Identifier: BSD-2-Clause */
/* The few instructions that may fault, and the handler of their faults */
#define SAVED_RIP 16 /* above RAX and the error code */
#define PAGE_LAST 4095

/* `collector check` recognizes the agent's static functions by their place
 * between names of tprof. The linker puts a section with another name than
 * .text after those of all functions, so the last of these names is here. */
#ifdef __ELF__
        .section .text.probe, "ax", @progbits
#else
        .text
#endif

        .macro  begin name
        .globl  \name
#ifdef __ELF__
        .hidden \name
        .type   \name, @function
#endif
\name:
        .endm

        .macro  end name
#ifdef __ELF__
        .size   \name, . - \name
#endif
        .endm

/* tprof_probe_faults(), probe.h: RAX is start, RCX size, EDX write. On return
 * RAX is not 0 if there was a fault. All registers but RAX and RCX are kept. */
        begin   tprof_probe_pages
        pushfq
        cli
        addq    %rax, %rcx                  /* the end */
        andb    $-4, %al                    /* device registers need alignment */
        sidt    tprof_kernel_idt(%rip)      /* another IDT may be loaded now */
.Lpage: lidt    tprof_probe_idt(%rip)
        testl   %edx, %edx
        jz      .Lread
.Lwrite:
        lock orl $0, (%rax)
.Lread: cmpl    %eax, (%rax)
        lidt    tprof_kernel_idt(%rip)
        orq     $PAGE_LAST, %rax
        incq    %rax
        cmpq    %rcx, %rax
        jb      .Lpage
        xorl    %eax, %eax
.Lout:  popfq
        ret
        end     tprof_probe_pages

/* A page or general protection fault while tprof_probe_idt is loaded. After a
 * fault at another instruction than .Lwrite and .Lread, loads the kernel's IDT
 * and runs the instruction again, so that the kernel gets the fault. */
        begin   tprof_probe_fault
        endbr64                             /* a gate leads here */
        pushq   %rax
        leaq    .Lread(%rip), %rax
        subq    SAVED_RIP(%rsp), %rax
        cmpq    $.Lread - .Lwrite, %rax
        lidt    tprof_kernel_idt(%rip)
        popq    %rax
        leaq    8(%rsp), %rsp               /* the error code */
        ja      .Lreturn
        leaq    .Lout(%rip), %rax           /* not 0 */
        movq    %rax, (%rsp)
.Lreturn:
        iretq
        end     tprof_probe_fault

#ifdef __ELF__
        .section .note.GNU-stack, "", @progbits
#endif
