/* SPDX-License-Identifier: BSD-2-Clause */
#include "util/cpu/x86_64/x86.h"

#include <stdbool.h>
#include <string.h>

#include "util/cpu/x86_64/x86_insn_parts.h"

#define RSP 4u
#define RBP 5u

static struct insn kind_of(enum insn_kind kind, int64_t value)
{
    return (struct insn){.kind = kind, .value = value};
}

/* Field that names the written general register. 'r' is ModRM.reg, 'm' is
 * ModRM.rm, 'x' is both. 'R', 'B' and 'X' are the same for byte registers. */
static const char one_byte_writes[] =
    "BmRr....BmRr....BmRr....BmRr....BmRr....BmRr....BmRr............"  /* 00 */
    "...................................r.....r.r...................."  /* 40 */
    "Bm.m..XxBmRrmr.m................................................"  /* 80 */
    "Bm....Bm........BmBm..................................Bm......Bm"; /* c0 */

static const char two_byte_writes[] =
    "m.rr............................mm..........rr.................."  /* 00 */
    "rrrrrrrrrrrrrrrrr.............................................m."  /* 40 */
    "................BBBBBBBBBBBBBBBB....mm.....mmmmrBmrmrrrrr.mmrrrr"  /* 80 */
    "Xx...r.m...............r........................................"; /* c0 */

/* Field of the general register that a vector instruction writes. */
static char vector_writes(const struct insn_parts *p)
{
    static const uint8_t to_reg[] = {0x2c, 0x2d, 0x50, 0x78,
                                     0x79, 0x93, 0xc5, 0xd7};

    if (p->map == 1 && memchr(to_reg, p->opcode, sizeof to_reg) != NULL)
        return 'r';
    if ((p->map == 1 && p->opcode == 0x7e && !p->repeat) ||
        (p->map == 3 && (p->opcode & 0xfc) == 0x14))
        return 'm';
    if (p->encoding == INSN_ENCODED_VEX && p->map == 2 && p->opcode >= 0xf2 &&
        p->opcode <= 0xf7)
        return 'r';
    return p->map == 3 && p->opcode == 0xf0 ? 'r' : '.';
}

/* Does a member of an opcode group write a register? Only for groups whose
 * members differ. */
static bool group_writes(const struct insn_parts *p)
{
    switch (p->opcode | p->map << 8) {
    case 0x80:
    case 0x81:
    case 0x83:
        return p->digit != 7; /* cmp */
    case 0xf6:
    case 0xf7:
        return p->digit == 2 || p->digit == 3; /* not, neg */
    case 0xfe:
    case 0xff:
        return p->digit < 2; /* inc, dec */
    case 0x17e:
        return !p->repeat; /* else a move between vector registers */
    case 0x1ae:
        return p->repeat && p->digit < 2; /* rdfsbase; else fences */
    case 0x1ba:
        return p->digit != 4; /* bt */
    case 0x1c7:
        return p->digit >= 6; /* rdrand, rdseed */
    default:
        return true;
    }
}

static char writes(const struct insn_parts *p)
{
    if (p->encoding != INSN_ENCODED_LEGACY)
        return vector_writes(p);
    switch (p->map) {
    case 0:
        return group_writes(p) ? one_byte_writes[p->opcode] : '.';
    case 1:
        return group_writes(p) ? two_byte_writes[p->opcode] : '.';
    case 2: /* movbe, crc32, adcx */
        return p->opcode >= 0xf0 && p->opcode <= 0xf6 ? 'r' : '.';
    default: /* pextr */
        return (p->opcode & 0xfc) == 0x14 ? 'm' : '.';
    }
}

/* Does the instruction write general register (number)? */
static bool writes_register(const struct insn_parts *p, unsigned number)
{
    char w = writes(p);
    unsigned low = p->opcode & 7u;
    bool to_rm = p->mod == 3 && p->rm == number;

    if (p->encoding == INSN_ENCODED_VEX && p->map == 2 && p->vvvv == number &&
        (p->opcode == 0xf3 || p->opcode == 0xf6))
        return true; /* blsr and its like, mulx */
    if (!p->modrm) { /* xchg, mov with immediate, bswap */
        bool in_opcode =
            (p->map == 0 && p->opcode > 0x90 && p->opcode < 0x98) ||
            (p->map == 0 && p->opcode >= 0xb8 && p->opcode <= 0xbf) ||
            (p->map == 0 && p->rex && p->opcode >= 0xb0 && p->opcode <= 0xb7) ||
            (p->map == 1 && p->opcode >= 0xc8 && p->opcode <= 0xcf);

        return in_opcode && (low | p->rex_b) == number;
    }
    /* byte registers 4 to 7 are ah to bh where there is no REX */
    if ((w == 'B' || w == 'R' || w == 'X') && !p->rex)
        return false;
    switch (w) {
    case 'r':
    case 'R':
        return p->reg == number;
    case 'm':
    case 'B':
        return to_rm;
    case 'x':
    case 'X':
        return p->reg == number || to_rm;
    default:
        return false;
    }
}

/* Effect of one-byte opcodes and of opcodes after 0F on the flow of control: b
 * branch, j jump, c call, r return, t trap, h hlt, n nop, g the group of FF
 * (decided by its digit), m the group with mwait, x xchg eax or nop. */
static const char control[2][256 + 1] = {
    "................" /* 00 */ "................" /* 10 */
    "................" /* 20 */ "................" /* 30 */
    "................" /* 40 */ "................" /* 50 */
    "................" /* 60 */ "bbbbbbbbbbbbbbbb" /* 70 */
    "................" /* 80 */ "x..............." /* 90 */
    "................" /* a0 */ "................" /* b0 */
    "..rr......rrt..r" /* c0 */ "................" /* d0 */
    "bbbb....cj.j...." /* e0 */ "....h..........g" /* f0 */,

    ".m.....r...t...." /* 00 */ "...............n" /* 10 */
    "................" /* 20 */ ".....r.........." /* 30 */
    "................" /* 40 */ "................" /* 50 */
    "................" /* 60 */ "................" /* 70 */
    "bbbbbbbbbbbbbbbb" /* 80 */ "................" /* 90 */
    "................" /* a0 */ ".........t......" /* b0 */
    "................" /* c0 */ "................" /* d0 */
    "................" /* e0 */ "...............t" /* f0 */,
};

static bool is_mwait(const struct insn_parts *p) /* or mwaitx */
{
    return p->mod == 3 &&
           ((p->digit == 1 && p->rm == 1) || (p->digit == 7 && p->rm == 3));
}

static struct insn jump_kind(const struct insn_parts *p)
{
    struct insn other = kind_of(INSN_OTHER, 0);

    switch (p->map < 2 ? control[p->map][p->opcode] : '.') {
    case 'b':
        return kind_of(INSN_BRANCH, p->immediate);
    case 'j':
        return kind_of(INSN_JUMP, p->immediate);
    case 'c':
        return kind_of(p->immediate == 0 ? INSN_CALL_NEXT : INSN_CALL,
                       p->immediate);
    case 'r':
        return kind_of(INSN_RETURN, 0);
    case 't':
        return kind_of(INSN_TRAP, 0);
    case 'h':
        return kind_of(INSN_HALT, 0);
    case 'n':
        return kind_of(INSN_NOP, 0);
    case 'x':
        return p->repeat || p->rex_b != 0 ? other : kind_of(INSN_NOP, 0);
    case 'm':
        return is_mwait(p) ? kind_of(INSN_HALT, 0) : other;
    case 'g':
        return p->digit == 2 || p->digit == 3   ? kind_of(INSN_CALL, 0)
               : p->digit == 4 || p->digit == 5 ? kind_of(INSN_JUMP_AWAY, 0)
                                                : other;
    default:
        return other;
    }
}

static struct insn push_kind(const struct insn_parts *p)
{
    bool drap = p->opcode == 0xff && p->mod == 1 && p->plain && p->base == 10 &&
                p->displacement == -8;

    if (p->operand16)
        return kind_of(INSN_SET_SP, 0);
    if (drap)
        return kind_of(INSN_PUSH_RETURN, 0);
    if (p->opcode == 0x55 && p->rex_b == 0)
        return kind_of(INSN_PUSH_FP, 0);
    return kind_of(INSN_PUSH, 0);
}

static struct insn pop_kind(const struct insn_parts *p)
{
    unsigned to = p->opcode == 0x8f ? p->rm : (p->opcode & 7u) | p->rex_b;
    bool reg = (p->opcode & 0xf8) == 0x58 || (p->opcode == 0x8f && p->mod == 3);

    if (p->operand16 || (reg && to == RSP))
        return kind_of(INSN_SET_SP, 0);
    return kind_of(reg && to == RBP ? INSN_POP_FP : INSN_POP, 0);
}

/* Classify the instructions that build and remove frames. */
static struct insn stack_kind(const struct insn_parts *p)
{
    uint8_t op = p->opcode;

    if (p->map == 1 && (op == 0xa0 || op == 0xa8))
        return kind_of(INSN_PUSH, 0);
    if (p->map == 1 && (op == 0xa1 || op == 0xa9))
        return kind_of(INSN_POP, 0);
    if (p->map != 0)
        return kind_of(INSN_OTHER, 0);
    if ((op & 0xf8) == 0x50 || op == 0x68 || op == 0x6a || op == 0x9c ||
        (op == 0xff && p->digit == 6))
        return push_kind(p);
    if ((op & 0xf8) == 0x58 || op == 0x9d || op == 0x8f)
        return op == 0x9d ? kind_of(INSN_POP, 0) : pop_kind(p);
    if (op == 0xc9)
        return kind_of(INSN_LEAVE, 0);
    if (op == 0xc8)
        return kind_of(p->digit == 0 ? INSN_ENTER : INSN_SET_FP, p->immediate);
    return kind_of(INSN_OTHER, 0);
}

/* Classify 64-bit moves among RSP and RBP, and RSP plus a constant. */
static struct insn frame_kind(const struct insn_parts *p)
{
    unsigned to = p->opcode == 0x89 ? p->rm : p->reg;
    unsigned from = p->opcode == 0x89 ? p->reg : p->rm;

    if (p->map != 0 || !p->wide_rex || p->encoding != INSN_ENCODED_LEGACY)
        return kind_of(INSN_OTHER, 0);
    if ((p->opcode == 0x81 || p->opcode == 0x83) && p->mod == 3 &&
        p->rm == RSP && (p->digit == 0 || p->digit == 5))
        return kind_of(INSN_ADD_SP,
                       p->digit == 0 ? p->immediate : -p->immediate);
    if (p->opcode == 0x8d && p->plain)
        from = p->base;
    else if ((p->opcode != 0x89 && p->opcode != 0x8b) || p->mod != 3)
        return kind_of(INSN_OTHER, 0);
    if (to == RBP && from == RSP)
        return kind_of(INSN_FP_FROM_SP, p->displacement);
    if (to == RSP && from == RBP)
        return kind_of(INSN_SP_FROM_FP, p->displacement);
    if (to == RSP && from == RSP)
        return kind_of(INSN_ADD_SP, p->displacement);
    return kind_of(INSN_OTHER, 0);
}

static struct insn classify(const struct insn_parts *p)
{
    struct insn in = kind_of(INSN_OTHER, 0);

    if (p->encoding == INSN_ENCODED_LEGACY) {
        in = jump_kind(p);
        if (in.kind == INSN_OTHER)
            in = stack_kind(p);
        if (in.kind == INSN_OTHER)
            in = frame_kind(p);
    }
    if (in.kind != INSN_OTHER)
        return in;
    if (writes_register(p, RBP))
        return kind_of(INSN_SET_FP, 0);
    if (writes_register(p, RSP))
        return kind_of(INSN_SET_SP, 0);
    return in;
}

/* Is the instruction `xor ebp, ebp` or `xor rbp, rbp`? The ABI marks the
 * outermost frame by RBP = 0. */
static bool clears_rbp(const uint8_t *code, size_t len)
{
    if (len == 3 && *code == 0x48) {
        code++;
        len--;
    }
    return len == 2 && (code[0] == 0x31 || code[0] == 0x33) && code[1] == 0xed;
}

/* Is the instruction an iretq? A function with an iretq is entered by the CPU
 * and not by a call. */
static bool ends_interrupt(const uint8_t *code, size_t len)
{
    return len == 2 && code[0] == 0x48 && code[1] == 0xcf;
}

/* Is the instruction a near ret, and no iret or sysret? */
static bool is_near_return(const uint8_t *code, size_t len)
{
    size_t prefix = len > 1 && (*code == 0xf2 || *code == 0xf3);

    return code[prefix] == 0xc3 || code[prefix] == 0xc2;
}

/* Does the instruction move RSP to another stack? "and rsp, -16" does not. */
static bool moves_stack(const uint8_t *code, size_t len)
{
    uint8_t opcode = code[(*code & 0xf0) == 0x40 && len > 1];

    return opcode != 0x21 && opcode != 0x23 && opcode != 0x81 && opcode != 0x83;
}

static uint8_t marks(enum insn_kind kind, const uint8_t *code, size_t len)
{
    if (kind == INSN_SET_FP)
        return clears_rbp(code, len) ? INSN_CLEARS_FP : 0;
    if (kind == INSN_RETURN)
        return ends_interrupt(code, len)   ? INSN_ENDS_INTERRUPT
               : is_near_return(code, len) ? INSN_TO_CALLER
                                           : 0;
    return kind == INSN_SET_SP && moves_stack(code, len) ? INSN_NEW_STACK : 0;
}

size_t x86_insn_decode(const uint8_t *code, size_t len, struct insn *out)
{
    struct insn_parts p;
    size_t n = insn_parts_take(&p, code, len);

    if (n != 0) {
        *out = classify(&p);
        out->marks = marks(out->kind, code, n);
    }
    return n;
}
