/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64 instruction decoder, by the opcode maps of the manuals (Intel SDM
 * volume 2, appendix A; 64-bit mode only).
 */
#include "symbolize/insn.h"

#include <stdbool.h>
#include <string.h>

#define MAX_LENGTH 15u
#define RSP        4u
#define RBP        5u

/*
 * What follows an opcode: '.' nothing, 'M' ModRM, 'b' 8-bit immediate, 'z' 16-
 * or 32-bit immediate, 'w' 16-bit, 'v' as wide as the operand, 'o' an absolute
 * address, 'e' 24-bit (enter), 'j' and 'J' 8- and 32-bit jump distance, 'B'
 * ModRM and 8-bit, 'Z' ModRM and 16- or 32-bit, 't' ModRM, and the immediate
 * only for test, '-' invalid. Prefixes and escapes were dealt with before.
 */
static const char one_byte_map[] =
    "MMMMbz--MMMMbz--MMMMbz--MMMMbz--MMMMbz--MMMMbz--MMMMbz--MMMMbz--"  /* 00 */
    "----------------................---M----zZbB....jjjjjjjjjjjjjjjj"  /* 40 */
    "BZ-BMMMMMMMMMMMM..........-.....oooo....bz......bbbbbbbbvvvvvvvv"  /* 80 */
    "BBw.--BZe.w..b-.MMMM---.MMMMMMMMjjjjbbbbJJ-j....-.--..tt......MM"; /* c0 */

static const char two_byte_map[] =
    "MMMM-.....-.-M.BMMMMMMMMMMMMMMMMMMMM----MMMMMMMM......-.--------"  /* 00 */
    "MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMBBBBMMM.MM--MMMM"  /* 40 */
    "JJJJJJJJJJJJJJJJMMMMMMMMMMMMMMMM...MBM--...MBMMMMMMMMMMMMMBMMMMM"  /* 80 */
    "MMBMBBBM........MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM"; /* c0 */

/* The general register written: 'r' by ModRM.reg, 'm' by ModRM.rm, 'x' both,
 * 'B' rm of one byte, 'R' reg of one byte, 'X' both of one byte. */
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

/* An instruction while it is being taken apart. */
struct parts {
    const uint8_t *at, *end;
    bool bad;
    bool wide_rex;                          /* REX.W */
    unsigned rex_r, rex_x, rex_b;           /* 0 or 8 */
    bool rex, operand16, address32, repeat; /* 66, 67, F3 */
    enum { ENCODED_LEGACY, ENCODED_VEX, ENCODED_EVEX, ENCODED_XOP } encoding;
    unsigned map;  /* 0: one byte, 1: 0F, 2: 0F38, 3: 0F3A, others: VEX, XOP */
    unsigned vvvv; /* the third register of VEX */
    uint8_t opcode;
    bool modrm;
    unsigned mod, reg, rm; /* with REX */
    unsigned digit;        /* ModRM.reg without REX: selects in a group */
    bool plain;            /* memory operand is base and displacement */
    unsigned base;         /* its base register */
    int64_t displacement, immediate;
};

static uint8_t take_byte(struct parts *p)
{
    if (p->at == p->end) {
        p->bad = true;
        return 0;
    }
    return *p->at++;
}

/* A signed little-endian number of (size) bytes. */
static int64_t take(struct parts *p, unsigned size)
{
    uint64_t v = 0;
    unsigned unused = 64 - 8 * size;

    for (unsigned i = 0; i < size; i++)
        v |= (uint64_t)take_byte(p) << (8 * i);
    return size == 0 ? 0 : (int64_t)(v << unused) >> unused;
}

static void set_rex(struct parts *p, uint8_t b)
{
    p->rex = true;
    p->wide_rex = (b & 8) != 0;
    p->rex_r = (b & 4) != 0 ? 8 : 0;
    p->rex_x = (b & 2) != 0 ? 8 : 0;
    p->rex_b = (b & 1) != 0 ? 8 : 0;
}

/* Prefixes, of which REX counts only if it is the last. Returns the opcode. */
static uint8_t take_prefixes(struct parts *p)
{
    for (;;) {
        uint8_t b = take_byte(p);

        if ((b & 0xf0) == 0x40) {
            set_rex(p, b);
            return take_byte(p);
        }
        switch (b) {
        case 0x66:
            p->operand16 = true;
            break;
        case 0x67:
            p->address32 = true;
            break;
        case 0xf3:
            p->repeat = true;
            break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65:
        case 0xf0:
        case 0xf2:
            break;
        default:
            return b;
        }
        if (p->bad)
            return 0;
    }
}

/* The bits that VEX, EVEX and XOP share; there they are inverted. */
static void take_vector_prefix(struct parts *p, uint8_t first)
{
    uint8_t a = take_byte(p), b;

    p->encoding = first == 0x62   ? ENCODED_EVEX
                  : first == 0x8f ? ENCODED_XOP
                                  : ENCODED_VEX;
    if (first == 0xc5) {
        set_rex(p, (a & 0x80) != 0 ? 0 : 4);
        p->map = 1;
        p->vvvv = (~a >> 3) & 15;
    } else {
        b = take_byte(p);
        set_rex(p, (uint8_t)(((b & 0x80) != 0 ? 8 : 0) | ((~a >> 5) & 7)));
        p->map = a & (first == 0x62 ? 7 : 31);
        p->vvvv = (~b >> 3) & 15;
        if (first == 0x62)
            (void)take_byte(p);
    }
    p->opcode = take_byte(p);
}

static void take_opcode(struct parts *p)
{
    uint8_t b = take_prefixes(p);
    bool xop = b == 0x8f && p->at < p->end && (*p->at & 0x38) != 0;

    if (b == 0xc4 || b == 0xc5 || b == 0x62 || xop) {
        take_vector_prefix(p, b);
        return;
    }
    if (b == 0x0f) {
        b = take_byte(p);
        p->map = b == 0x38 ? 2 : b == 0x3a ? 3 : 1;
        if (p->map > 1)
            b = take_byte(p);
    }
    p->opcode = b;
}

static void take_modrm(struct parts *p)
{
    uint8_t b = take_byte(p);

    p->modrm = true;
    p->mod = b >> 6;
    p->digit = (b >> 3) & 7;
    p->reg = p->digit | p->rex_r;
    p->rm = (b & 7) | p->rex_b;
    if (p->mod == 3)
        return;
    p->plain = true;
    p->base = p->rm;
    if ((b & 7) == 4) {
        uint8_t sib = take_byte(p);

        p->base = (sib & 7) | p->rex_b;
        p->plain = (((sib >> 3) & 7) | p->rex_x) == 4; /* no index */
        b = sib; /* whose 5 means no base, as that of ModRM means RIP */
    }
    if (p->mod == 0 && (b & 7) == 5) {
        p->plain = false;
        p->displacement = take(p, 4);
    } else if (p->mod != 0) {
        p->displacement = take(p, p->mod == 1 ? 1 : 4);
    }
}

/* What follows the opcode, as in the tables above. */
static char shape(const struct parts *p)
{
    switch (p->map) {
    case 0:
        return one_byte_map[p->opcode];
    case 1:
        return two_byte_map[p->opcode];
    case 2:
        return 'M';
    case 3:
        return 'B';
    case 5: /* EVEX only: half-precision floats */
    case 6:
        return p->encoding == ENCODED_EVEX ? 'M' : '-';
    case 8: /* XOP only */
        return p->encoding == ENCODED_XOP ? 'B' : '-';
    case 9:
        return p->encoding == ENCODED_XOP ? 'M' : '-';
    case 10:
        return p->encoding == ENCODED_XOP ? 'Z' : '-';
    default:
        return '-';
    }
}

static void take_operands(struct parts *p)
{
    unsigned z = p->operand16 && !p->wide_rex ? 2 : 4;

    switch (shape(p)) {
    case '.':
        break;
    case 'M':
        take_modrm(p);
        break;
    case 'B':
        take_modrm(p);
        p->immediate = take(p, 1);
        break;
    case 'Z':
        take_modrm(p);
        p->immediate = take(p, z);
        break;
    case 't':
        take_modrm(p);
        if (p->digit < 2)
            p->immediate = take(p, p->opcode == 0xf6 ? 1 : z);
        break;
    case 'b':
    case 'j':
        p->immediate = take(p, 1);
        break;
    case 'w':
        p->immediate = take(p, 2) & 0xffff;
        break;
    case 'e':
        p->immediate = take(p, 2) & 0xffff;
        p->digit = take_byte(p); /* nesting level */
        break;
    case 'z':
        p->immediate = take(p, z);
        break;
    case 'J':
        p->immediate = take(p, 4);
        break;
    case 'v':
        p->immediate = take(p, p->wide_rex ? 8 : z);
        break;
    case 'o':
        p->immediate = take(p, p->address32 ? 4 : 8);
        break;
    default:
        p->bad = true;
    }
}

/* Vector instructions that write a general register. */
static char vector_writes(const struct parts *p)
{
    if (p->map == 1 && memchr("\x2c\x2d\x50\x78\x79\x93\xc5\xd7", p->opcode, 8))
        return 'r';
    if ((p->map == 1 && p->opcode == 0x7e && !p->repeat) ||
        (p->map == 3 && (p->opcode & 0xfc) == 0x14))
        return 'm';
    if (p->encoding == ENCODED_VEX && p->map == 2 && p->opcode >= 0xf2 &&
        p->opcode <= 0xf7)
        return 'r';
    return p->map == 3 && p->opcode == 0xf0 ? 'r' : '.';
}

/* The groups whose members differ in what they write. */
static bool group_writes(const struct parts *p)
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

static char writes(const struct parts *p)
{
    if (p->encoding != ENCODED_LEGACY)
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
static bool writes_register(const struct parts *p, unsigned number)
{
    char w = writes(p);
    unsigned low = p->opcode & 7u;
    bool to_rm = p->mod == 3 && p->rm == number;

    if (p->encoding == ENCODED_VEX && p->map == 2 && p->vvvv == number &&
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

static struct insn jump_kind(const struct parts *p)
{
    if (p->map == 0) {
        switch (p->opcode) {
        case 0xe8:
            return (struct insn){p->immediate == 0 ? INSN_CALL_NEXT : INSN_CALL,
                                 p->immediate};
        case 0xe9:
        case 0xeb:
            return (struct insn){INSN_JUMP, p->immediate};
        case 0xc2:
        case 0xc3:
        case 0xca:
        case 0xcb:
        case 0xcf:
            return (struct insn){INSN_RETURN, 0};
        case 0xcc:
            return (struct insn){INSN_TRAP, 0};
        case 0xf4:
            return (struct insn){INSN_HALT, 0};
        case 0xff:
            if (p->digit == 2 || p->digit == 3)
                return (struct insn){INSN_CALL, 0};
            if (p->digit == 4 || p->digit == 5)
                return (struct insn){INSN_JUMP_AWAY, 0};
            break;
        default:
            if ((p->opcode & 0xf0) == 0x70 || (p->opcode & 0xfc) == 0xe0)
                return (struct insn){INSN_BRANCH, p->immediate};
            if (p->opcode == 0x90 && !p->repeat && p->rex_b == 0)
                return (struct insn){INSN_NOP, 0};
        }
    } else if (p->map == 1 && p->encoding == ENCODED_LEGACY) {
        if ((p->opcode & 0xf0) == 0x80)
            return (struct insn){INSN_BRANCH, p->immediate};
        if (p->opcode == 0x1f)
            return (struct insn){INSN_NOP, 0};
        if (p->opcode == 0x07 || p->opcode == 0x35)
            return (struct insn){INSN_RETURN, 0};
        if (p->opcode == 0x0b || p->opcode == 0xb9 || p->opcode == 0xff)
            return (struct insn){INSN_TRAP, 0};
        /* mwait, mwaitx */
        if (p->opcode == 0x01 && p->mod == 3 &&
            ((p->digit == 1 && p->rm == 1) || (p->digit == 7 && p->rm == 3)))
            return (struct insn){INSN_HALT, 0};
    }
    return (struct insn){INSN_OTHER, 0};
}

static struct insn push_kind(const struct parts *p)
{
    bool drap = p->opcode == 0xff && p->mod == 1 && p->plain && p->base == 10 &&
                p->displacement == -8;

    if (p->operand16)
        return (struct insn){INSN_SET_RSP, 0};
    if (drap)
        return (struct insn){INSN_PUSH_RETURN, 0};
    if (p->opcode == 0x55 && p->rex_b == 0)
        return (struct insn){INSN_PUSH_RBP, 0};
    return (struct insn){INSN_PUSH, 0};
}

static struct insn pop_kind(const struct parts *p)
{
    unsigned to = p->opcode == 0x8f ? p->rm : (p->opcode & 7u) | p->rex_b;
    bool reg = (p->opcode & 0xf8) == 0x58 || (p->opcode == 0x8f && p->mod == 3);

    if (p->operand16 || (reg && to == RSP))
        return (struct insn){INSN_SET_RSP, 0};
    return (struct insn){reg && to == RBP ? INSN_POP_RBP : INSN_POP, 0};
}

/* The instructions that frames are made of. */
static struct insn stack_kind(const struct parts *p)
{
    uint8_t op = p->opcode;

    if (p->map == 1 && (op == 0xa0 || op == 0xa8))
        return (struct insn){INSN_PUSH, 0};
    if (p->map == 1 && (op == 0xa1 || op == 0xa9))
        return (struct insn){INSN_POP, 0};
    if (p->map != 0)
        return (struct insn){INSN_OTHER, 0};
    if ((op & 0xf8) == 0x50 || op == 0x68 || op == 0x6a || op == 0x9c ||
        (op == 0xff && p->digit == 6))
        return push_kind(p);
    if ((op & 0xf8) == 0x58 || op == 0x9d || op == 0x8f)
        return op == 0x9d ? (struct insn){INSN_POP, 0} : pop_kind(p);
    if (op == 0xc9)
        return (struct insn){INSN_LEAVE, 0};
    if (op == 0xc8)
        return (struct insn){p->digit == 0 ? INSN_ENTER : INSN_SET_RBP,
                             p->immediate};
    return (struct insn){INSN_OTHER, 0};
}

/* 64-bit moves among RSP and RBP, and RSP plus a constant. */
static struct insn frame_kind(const struct parts *p)
{
    unsigned to = p->opcode == 0x89 ? p->rm : p->reg;
    unsigned from = p->opcode == 0x89 ? p->reg : p->rm;

    if (p->map != 0 || !p->wide_rex || p->encoding != ENCODED_LEGACY)
        return (struct insn){INSN_OTHER, 0};
    if ((p->opcode == 0x81 || p->opcode == 0x83) && p->mod == 3 &&
        p->rm == RSP && (p->digit == 0 || p->digit == 5))
        return (struct insn){INSN_ADD_RSP,
                             p->digit == 0 ? p->immediate : -p->immediate};
    if (p->opcode == 0x8d && p->plain)
        from = p->base;
    else if ((p->opcode != 0x89 && p->opcode != 0x8b) || p->mod != 3)
        return (struct insn){INSN_OTHER, 0};
    if (to == RBP && from == RSP)
        return (struct insn){INSN_RBP_FROM_RSP, p->displacement};
    if (to == RSP && from == RBP)
        return (struct insn){INSN_RSP_FROM_RBP, p->displacement};
    if (to == RSP && from == RSP)
        return (struct insn){INSN_ADD_RSP, p->displacement};
    return (struct insn){INSN_OTHER, 0};
}

static struct insn classify(const struct parts *p)
{
    struct insn in = {INSN_OTHER, 0};

    if (p->encoding == ENCODED_LEGACY) {
        in = jump_kind(p);
        if (in.kind == INSN_OTHER)
            in = stack_kind(p);
        if (in.kind == INSN_OTHER)
            in = frame_kind(p);
    }
    if (in.kind != INSN_OTHER)
        return in;
    if (writes_register(p, RBP))
        return (struct insn){INSN_SET_RBP, 0};
    if (writes_register(p, RSP))
        return (struct insn){INSN_SET_RSP, 0};
    return in;
}

size_t insn_decode(const uint8_t *code, size_t len, struct insn *out)
{
    struct parts p = {.at = code,
                      .end = code + (len < MAX_LENGTH ? len : MAX_LENGTH)};

    take_opcode(&p);
    if (!p.bad)
        take_operands(&p);
    if (p.bad)
        return 0;
    *out = classify(&p);
    return (size_t)(p.at - code);
}
