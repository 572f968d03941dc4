/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of operations of aarch64. */
#include "util/cpu/aarch64/a64.h"

#include "tprof_wire.h"
#include "util/bytes.h"

#define EM_AARCH64 183u

#define BEGIN_FRAME "stp x29, x30, [sp, #-16]!; mov x29, sp"

/* Registers that a function restores before it returns (AAPCS64). */
#define KEPT_BY_CALLS                                                          \
    (((uint64_t)1 << (A64_X29 + 1)) - ((uint64_t)1 << A64_X19))

/* Bits of an address; the bits above have the value of bit 55, or a
 * signature. */
#define ADDRESS_BITS 48u
#define ADDRESS_HIGH ((uint64_t)1 << 55)

static uint32_t word_before(const uint8_t *end)
{
    return load_u32(end - A64_INSN);
}

static bool has_call(const uint8_t *code, size_t size, uint64_t address,
                     uint64_t function)
{
    for (size_t at = 0; size - at >= A64_INSN; at += A64_INSN) {
        struct insn in;

        if (a64_insn_decode(code + at, A64_INSN, &in) != 0 &&
            in.kind == INSN_CALL && in.value != 0 &&
            address + at + A64_INSN + (uint64_t)in.value == function)
            return true;
    }
    return false;
}

static enum code_holdup holdup_of(uint32_t word)
{
    if ((word & 0xfffff0ffu) == 0xd50340ffu) /* msr daifclr, #imm */
        return HOLDUP_DAIFCLR;
    if ((word & 0xffffffe0u) == 0xd51b4220u) /* msr daif, xN */
        return HOLDUP_DAIF;
    return HOLDUP_NONE;
}

static enum code_holdup holdup(const uint8_t *code, size_t size)
{
    return size == A64_INSN ? holdup_of(load_u32(code)) : HOLDUP_NONE;
}

static bool may_hold_up(const uint8_t *end)
{
    return holdup_of(word_before(end)) != HOLDUP_NONE;
}

static bool sleeps(const uint8_t *end)
{
    struct insn in;

    return a64_insn_decode(end - A64_INSN, A64_INSN, &in) != 0 &&
           in.kind == INSN_HALT;
}

/* wfi ends with a masked interrupt, too */
static bool is_halt(const uint8_t *end)
{
    (void)end;
    return false;
}

static uint64_t strip(uint64_t address)
{
    uint64_t low = address & (((uint64_t)1 << ADDRESS_BITS) - 1);

    return (address & ADDRESS_HIGH) != 0 ? low | ~(uint64_t)0 << ADDRESS_BITS
                                         : low;
}

const struct cpu cpu_aarch64 = {
    .name = "aarch64",
    .wire = WIRE_ARCH_AARCH64,
    .elf = EM_AARCH64,
    .qemu = "aarch64",
    .boots_elf = true,
    .has_marks = true,
    .fp_name = "x29",
    .sp_name = "SP",
    .begin_frame = BEGIN_FRAME,
    .end_frame = "ldp x29, x30, [sp], #16; ret",
    .frame_advice = "begin it with " BEGIN_FRAME,
    .any_frame_advice = "compile it with -fno-omit-frame-pointer (Free Pascal: "
                        "-OoNOSTACKFRAME; assembler: " BEGIN_FRAME ")",
    .align = A64_INSN,
    .call_min = A64_INSN,
    .call_max = A64_INSN,
    .decode = a64_insn_decode,
    .has_call = has_call,
    .holdup = holdup,
    .may_hold_up = may_hold_up,
    .sleeps = sleeps,
    .is_halt = is_halt,
    .generals = A64_GENERALS,
    .sp = A64_SP,
    .fp = A64_X29,
    .pc = A64_PC,
    .back = A64_X30,
    .has_link = true,
    .kept = KEPT_BY_CALLS,
    .strip = strip,
    .from_stub = a64_from_stub,
    .from_status = a64_from_status,
    .shown_names = a64_shown_names,
    .shown_count = A64_SHOWN,
    .shown = a64_shown,
    .shown_known = a64_shown_known,
    .interruptible = a64_interruptible,
};
