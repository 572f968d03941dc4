/* SPDX-License-Identifier: BSD-2-Clause */
// OSv, arch/x64/exceptions.hh: what agent/porting/osv.md uses of it.
#ifndef EXCEPTIONS_HH
#define EXCEPTIONS_HH

using u16 = unsigned short;
using u64 = unsigned long;
using ulong = unsigned long;

struct exception_frame {
    ulong r15, r14, r13, r12, r11, r10, r9, r8;
    ulong rbp, rdi, rsi, rdx, rcx, rbx, rax;
    u16 error_code;
    ulong rip, cs, rflags, rsp, ss;
};

extern __thread exception_frame *current_interrupt_frame;

#endif
