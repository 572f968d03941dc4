/* SPDX-License-Identifier: BSD-2-Clause */
#include "fake_probe.h"

uint64_t fake_probe_hole;

/* RAX is the address, and what comes back; all other registers are kept */
__asm__(".pushsection .text\n"
        ".globl tprof_probe_pages\n"
        "tprof_probe_pages:\n"
        "cmpq fake_probe_hole(%rip), %rax\n"
        "sete %al\n"
        "movzbl %al, %eax\n"
        "ret\n"
        ".popsection");
