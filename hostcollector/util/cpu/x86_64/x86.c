/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of operations of x86-64. */
#include "util/cpu/x86_64/x86.h"

#include <string.h>

#include "tprof_wire.h"
#include "util/bytes.h"
#include "util/cpu/x86_64/iret_frame.h"
#include "util/cpu/x86_64/x86_paging.h"
#include "util/cpu/x86_64/x86_registers.h"

#define EM_X86_64  62u
#define PE_AMD64   0x8664u
#define CALL_NEAR  0xe8u
#define NEAR_BYTES 5u

#define BEGIN_FRAME "push %rbp; mov %rsp, %rbp"

/* Registers that a function restores before it returns (System V ABI). */
#define KEPT_BY_CALLS                                                          \
    (1u << X86_RBX | 1u << X86_RBP | 1u << X86_R12 | 1u << (X86_R12 + 1) |     \
     1u << (X86_R12 + 2) | 1u << X86_R15)

static bool has_call(const uint8_t *code, size_t size, uint64_t address,
                     uint64_t function)
{
    const uint8_t *end = code + size;
    const uint8_t *p = code;

    while (end - p >= NEAR_BYTES &&
           (p = memchr(p, CALL_NEAR, (size_t)(end - p) - NEAR_BYTES + 1)) !=
               NULL) {
        uint64_t back = address + (uint64_t)(p - code) + NEAR_BYTES;

        if (back + (uint64_t)(int64_t)(int32_t)load_u32(p + 1) == function)
            return true;
        p++;
    }
    return false;
}

static long read_virtual(const struct cpu_registers *r,
                         cpu_read_physical *physical, void *context,
                         uint64_t address, void *to, size_t size)
{
    /* a dump lacks EFER, but without this bit no core runs 64-bit code */
    uint64_t wide = r->is_wide ? PAGING_EFER_LMA : 0;
    const struct paging p = {r->system[X86_CR0], r->system[X86_CR3],
                             r->system[X86_CR4], r->system[X86_EFER] | wide,
                             physical,           context};

    return paging_read(&p, address, to, size);
}

static uint64_t strip(uint64_t address)
{
    return address;
}

const struct cpu cpu_x86_64 = {
    .name = "x86-64",
    .wire = WIRE_ARCH_X86_64,
    .elf = EM_X86_64,
    .pe = PE_AMD64,
    .qemu = "x86_64",
    .has_red_zone = true,
    .fp_name = "RBP",
    .sp_name = "RSP",
    .begin_frame = BEGIN_FRAME,
    .end_frame = "pop %rbp; ret",
    .frame_advice = "begin it with " BEGIN_FRAME,
    .any_frame_advice = "compile it with -fno-omit-frame-pointer (Free Pascal: "
                        "-OoNOSTACKFRAME; assembler: " BEGIN_FRAME ")",
    .align = 1,
    .call_min = 2,
    .call_max = CPU_CALL_MAX,
    .decode = x86_insn_decode,
    .has_call = has_call,
    .refers_by_words = true,
    .holdup = x86_holdup,
    .may_hold_up = x86_may_hold_up,
    .sleeps = x86_sleeps,
    .is_halt = x86_is_halt,
    .generals = X86_GENERALS,
    .sp = X86_RSP,
    .fp = X86_RBP,
    .pc = X86_PC,
    .back = X86_PC,
    .call_pushes = 8,
    .kept = KEPT_BY_CALLS,
    .strip = strip,
    .find_interrupted = iret_frame_find,
    .pushed_below = IRET_FRAME_BELOW,
    .pushed_below_max = IRET_FRAME_BELOW_MAX,
    .pushed_span = IRET_FRAME_SPAN,
    .from_stub = x86_from_stub,
    .from_status = x86_from_status,
    .from_qemu_note = x86_from_qemu_note,
    .shown_names = x86_shown_names,
    .shown_count = X86_SHOWN,
    .shown = x86_shown,
    .shown_known = x86_shown_known,
    .interruptible = x86_interruptible,
    .read_virtual = read_virtual,
};
