/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes instructions (Arm ARM, DDI 0487, C4). */
#include "util/bytes.h"
#include "util/cpu/aarch64/a64.h"

#define ZERO_OR_SP 31u

static unsigned bits(uint32_t word, unsigned from, unsigned count)
{
    return word >> from & ((1u << count) - 1);
}

static int32_t signed_bits(uint32_t word, unsigned from, unsigned count)
{
    int32_t value = (int32_t)bits(word, from, count);

    return value >= 1 << (count - 1) ? value - (1 << count) : value;
}

static struct insn kind_of(enum insn_kind kind, int64_t value)
{
    return (struct insn){.kind = kind, .value = value};
}

/* A jump by the signed number of instructions in (count) bits from (from) on.
 * Distances are counted from the end of the instruction. */
static struct insn jump(enum insn_kind kind, uint32_t word, unsigned from,
                        unsigned count)
{
    return kind_of(kind, ((int64_t)signed_bits(word, from, count) - 1) *
                             (int64_t)A64_INSN);
}

/* An instruction that writes register (number), and nothing else that
 * matters. */
static struct insn writes(unsigned number)
{
    return kind_of(number == A64_X29   ? INSN_SET_FP
                   : number == A64_X30 ? INSN_SET_LR
                                       : INSN_OTHER,
                   0);
}

/* --- Branches, exceptions, system ------------------------------------------
 */

/* BR, BLR, RET, ERET and those that check a signature. */
static struct insn through_register(uint32_t word)
{
    struct insn in = kind_of(INSN_OTHER, 0);

    switch (bits(word, 21, 4)) {
    case 0:
    case 8:
        in.kind = INSN_JUMP_AWAY;
        break;
    case 1:
    case 9:
        in.kind = INSN_CALL;
        break;
    case 2:
        in.kind = INSN_RETURN;
        in.marks = INSN_TO_CALLER;
        break;
    case 4:
        in.kind = INSN_RETURN;
        in.marks = INSN_ENDS_INTERRUPT;
        break;
    default:
        break;
    }
    return in;
}

static struct insn system_kind(uint32_t word)
{
    if ((word & 0xfffff01fu) == 0xd503201fu) /* hints */
        return kind_of(bits(word, 5, 7) == 0 ? INSN_NOP
                       : bits(word, 5, 7) == 2 || bits(word, 5, 7) == 3
                           ? INSN_HALT /* wfe, wfi */
                           : INSN_OTHER,
                       0);
    if ((word & 0xfff00000u) == 0xd5300000u) /* mrs */
        return writes(bits(word, 0, 5));
    return kind_of(INSN_OTHER, 0);
}

/* A call of the next instruction leaves an address, and does not call. */
static struct insn call(uint32_t word)
{
    struct insn in = jump(INSN_CALL, word, 0, 26);

    if (in.value == 0)
        in.kind = INSN_SET_LR;
    return in;
}

static struct insn branch_kind(uint32_t word)
{
    switch (word >> 26) {
    case 0x05:
        return jump(INSN_JUMP, word, 0, 26);
    case 0x25:
        return call(word);
    default:
        break;
    }
    if ((word & 0xff000000u) == 0x54000000u || /* b.cond, cbz, cbnz */
        (word & 0x7e000000u) == 0x34000000u)
        return jump(INSN_BRANCH, word, 5, 19);
    if ((word & 0x7e000000u) == 0x36000000u) /* tbz, tbnz */
        return jump(INSN_BRANCH, word, 5, 14);
    if ((word & 0xfe000000u) == 0xd6000000u)
        return through_register(word);
    if ((word & 0xff000000u) == 0xd4000000u) /* brk, hlt; not svc, hvc, smc */
        return kind_of(bits(word, 21, 3) == 1 || bits(word, 21, 3) == 2
                           ? INSN_TRAP
                           : INSN_OTHER,
                       0);
    return system_kind(word);
}

/* --- Arithmetic ------------------------------------------------------------
 */

/* ADD and SUB of a constant, among SP and X29. */
static struct insn add_constant(uint32_t word)
{
    unsigned to = bits(word, 0, 5), from = bits(word, 5, 5);
    int64_t value = (int64_t)bits(word, 10, 12)
                    << (bits(word, 22, 1) != 0 ? 12 : 0);

    if ((word & 1u << 30) != 0)
        value = -value;
    if ((word & 1u << 29) != 0) /* sets flags: 31 is the zero register */
        return to == ZERO_OR_SP ? kind_of(INSN_OTHER, 0) : writes(to);
    if (to == ZERO_OR_SP && from == ZERO_OR_SP)
        return kind_of(INSN_ADD_SP, value);
    if (to == ZERO_OR_SP && from == A64_X29)
        return kind_of(INSN_SP_FROM_FP, value);
    if (to == A64_X29 && from == ZERO_OR_SP)
        return kind_of(INSN_FP_FROM_SP, value);
    if (to != ZERO_OR_SP)
        return writes(to);
    return (struct insn){.kind = INSN_SET_SP,
                         .marks = value == 0 ? INSN_NEW_STACK : 0};
}

static struct insn constant_kind(uint32_t word)
{
    unsigned to = bits(word, 0, 5);
    bool is_wide = (word & 1u << 31) != 0;

    if ((word & 0x1f800000u) == 0x11000000u && is_wide)
        return add_constant(word);
    if ((word & 0x1f800000u) == 0x12000000u && to == ZERO_OR_SP)
        return kind_of(bits(word, 29, 2) != 3 ? INSN_SET_SP : INSN_OTHER, 0);
    if ((word & 0xffffffe0u) == 0xd2800000u) /* mov xN, #0 */
        return (struct insn){.kind = writes(to).kind,
                             .marks = to == A64_X29 ? INSN_CLEARS_FP : 0};
    return writes(to);
}

static struct insn register_kind(uint32_t word)
{
    unsigned to = bits(word, 0, 5);
    bool sets_flags = (word & 1u << 29) != 0;

    if ((word & 0x1fe00000u) == 0x0b200000u && to == ZERO_OR_SP)
        return kind_of(sets_flags ? INSN_OTHER : INSN_SET_SP, 0);
    if ((word & 0x1fe00000u) == 0x1a400000u) /* ccmp, ccmn */
        return kind_of(INSN_OTHER, 0);
    if (word == 0xaa1f03fdu) /* mov x29, xzr */
        return (struct insn){.kind = INSN_SET_FP, .marks = INSN_CLEARS_FP};
    return writes(to);
}

/* --- Loads and stores ------------------------------------------------------
 */

enum moves { MOVES_NOT, MOVES_AFTER, MOVES_BEFORE };

/* A load or store of (registers), whose words of (size) bytes follow each
 * other at (distance) from register (base). */
struct access {
    unsigned base;
    unsigned registers[2], count;
    bool is_load, is_vector;
    enum moves moves;
    int64_t distance;
    int64_t size;
};

/* Does the access write X29 or X30 by other means than the stack? */
static struct insn elsewhere(const struct access *a)
{
    struct insn in = kind_of(INSN_OTHER, 0);

    for (unsigned i = 0; a->is_load && !a->is_vector && i < a->count; i++)
        if (writes(a->registers[i]).kind != INSN_OTHER)
            in.kind = writes(a->registers[i]).kind;
    if (a->moves != MOVES_NOT && a->base == A64_X29)
        in.kind = INSN_SET_FP;
    return in;
}

static struct insn access_kind(const struct access *a)
{
    struct insn in = {.kind = a->is_load ? INSN_LOAD : INSN_STORE};

    if (a->base != ZERO_OR_SP)
        return elsewhere(a);
    if (a->moves == MOVES_BEFORE)
        in.value = a->distance;
    if (a->moves == MOVES_AFTER)
        in.after = (int16_t)a->distance;
    for (unsigned i = 0; !a->is_vector && i < a->count; i++) {
        int64_t at = (a->moves == MOVES_NOT ? a->distance : 0) + i * a->size;

        if (at > INT16_MAX || a->size != 8)
            return a->is_load ? elsewhere(a) : kind_of(INSN_OTHER, 0);
        if (a->registers[i] == A64_X29) {
            in.registers |= INSN_FP;
            in.fp_at = (int16_t)at;
        } else if (a->registers[i] == A64_X30) {
            in.registers |= INSN_LR;
            in.lr_at = (int16_t)at;
        }
    }
    if (in.registers == 0)
        return kind_of(a->moves != MOVES_NOT ? INSN_ADD_SP : INSN_OTHER,
                       a->moves != MOVES_NOT ? a->distance : 0);
    return in;
}

static struct insn pair_kind(uint32_t word)
{
    static const enum moves moves[] = {MOVES_NOT, MOVES_AFTER, MOVES_NOT,
                                       MOVES_BEFORE};
    unsigned opc = bits(word, 30, 2);
    bool is_vector = bits(word, 26, 1) != 0;
    unsigned size = is_vector ? 4u << opc : opc == 2 ? 8u : 4u;
    const struct access a = {.base = bits(word, 5, 5),
                             .registers = {bits(word, 0, 5), bits(word, 10, 5)},
                             .count = 2,
                             .is_load = bits(word, 22, 1) != 0,
                             .is_vector = is_vector,
                             .moves = moves[bits(word, 23, 2)],
                             .distance =
                                 (int64_t)signed_bits(word, 15, 7) * size,
                             .size = size};

    return access_kind(&a);
}

static struct insn single_kind(uint32_t word)
{
    static const enum moves moves[] = {MOVES_NOT, MOVES_AFTER, MOVES_NOT,
                                       MOVES_BEFORE};
    bool is_vector = bits(word, 26, 1) != 0;
    unsigned opc = bits(word, 22, 2);
    unsigned shift = bits(word, 30, 2) + (is_vector && opc >= 2 ? 4u : 0);
    bool is_scaled = bits(word, 24, 1) != 0;
    struct access a = {.base = bits(word, 5, 5),
                       .registers = {bits(word, 0, 5)},
                       .count = 1,
                       .is_load = is_vector ? (opc & 1) != 0 : opc != 0,
                       .is_vector = is_vector,
                       .size = (int64_t)1 << shift};

    if (is_scaled)
        a.distance = (int64_t)bits(word, 10, 12) << shift;
    else if (bits(word, 21, 1) != 0) /* an index, or an atomic operation */
        return !is_vector && a.is_load ? writes(a.registers[0])
                                       : kind_of(INSN_OTHER, 0);
    else
        a.distance = signed_bits(word, 12, 9);
    if (!is_scaled)
        a.moves = moves[bits(word, 10, 2)];
    return access_kind(&a);
}

static struct insn memory_kind(uint32_t word)
{
    if ((word & 0x3a000000u) == 0x28000000u)
        return pair_kind(word);
    if ((word & 0x3a000000u) == 0x38000000u)
        return single_kind(word);
    if ((word & 0x3f000000u) == 0x18000000u) /* from a place relative to PC */
        return writes(bits(word, 0, 5));
    return kind_of(INSN_OTHER, 0);
}

/* --- All -------------------------------------------------------------------
 */

/* Returns false if (word) is no instruction. */
static bool classify(uint32_t word, struct insn *out)
{
    unsigned group = bits(word, 25, 4);

    *out = kind_of(INSN_OTHER, 0);
    if ((group & 14) == 8)
        *out = constant_kind(word);
    else if ((group & 14) == 10)
        *out = branch_kind(word);
    else if ((group & 5) == 4)
        *out = memory_kind(word);
    else if ((group & 7) == 5)
        *out = register_kind(word);
    else if (word >> 16 == 0) /* udf */
        out->kind = INSN_TRAP;
    else if (group == 1 || group == 3 || (group == 0 && word >> 31 == 0))
        return false;
    return true;
}

size_t a64_insn_decode(const uint8_t *code, size_t len, struct insn *out)
{
    return len >= A64_INSN && classify(load_u32(code), out) ? A64_INSN : 0;
}
