/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of an encoded x86-64 instruction. */
#include "util/cpu/x86_64/x86_insn_parts.h"

#define MAX_LENGTH 15u

/*
 * Fields after an opcode, by the opcode maps of the manuals (Intel SDM volume
 * 2, appendix A; 64-bit mode only): '.' nothing, 'M' ModRM, 'b' 8-bit
 * immediate, 'z' 16- or 32-bit immediate, 'w' 16-bit, 'v' as wide as the
 * operand, 'o' an absolute address, 'e' 24-bit (enter), 'j' and 'J' 8- and
 * 32-bit jump distance, 'B' ModRM and 8-bit, 'Z' ModRM and 16- or 32-bit, 't'
 * ModRM, and the immediate only for test, '-' invalid. Prefixes and escapes
 * were removed before.
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

static uint8_t take_byte(struct insn_parts *p)
{
    if (p->at == p->end) {
        p->bad = true;
        return 0;
    }
    return *p->at++;
}

/* Read a signed little-endian number of (size) bytes. */
static int64_t take_number(struct insn_parts *p, unsigned size)
{
    uint64_t v = 0;
    unsigned unused = 64 - 8 * size;

    for (unsigned i = 0; i < size; i++)
        v |= (uint64_t)take_byte(p) << (8 * i);
    return size == 0 ? 0 : (int64_t)(v << unused) >> unused;
}

static void set_rex(struct insn_parts *p, uint8_t b)
{
    p->rex = true;
    p->wide_rex = (b & 8) != 0;
    p->rex_r = (b & 4) != 0 ? 8 : 0;
    p->rex_x = (b & 2) != 0 ? 8 : 0;
    p->rex_b = (b & 1) != 0 ? 8 : 0;
}

/* Read the prefixes. REX counts only if it is the last prefix. Returns the
 * opcode. */
static uint8_t take_prefixes(struct insn_parts *p)
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

/* Read the bits that VEX, EVEX and XOP share. These prefixes store the bits
 * inverted. */
static void take_vector_prefix(struct insn_parts *p, uint8_t first)
{
    uint8_t a = take_byte(p), b;

    p->encoding = first == 0x62   ? INSN_ENCODED_EVEX
                  : first == 0x8f ? INSN_ENCODED_XOP
                                  : INSN_ENCODED_VEX;
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

static void take_opcode(struct insn_parts *p)
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

static void take_modrm(struct insn_parts *p)
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
        b = sib; /* base 5 means no base, as rm 5 of ModRM means RIP */
    }
    if (p->mod == 0 && (b & 7) == 5) {
        p->plain = false;
        p->displacement = take_number(p, 4);
    } else if (p->mod != 0) {
        p->displacement = take_number(p, p->mod == 1 ? 1 : 4);
    }
}

/* Fields after the opcode, by the tables above. */
static char shape(const struct insn_parts *p)
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
        return p->encoding == INSN_ENCODED_EVEX ? 'M' : '-';
    case 8: /* XOP only */
        return p->encoding == INSN_ENCODED_XOP ? 'B' : '-';
    case 9:
        return p->encoding == INSN_ENCODED_XOP ? 'M' : '-';
    case 10:
        return p->encoding == INSN_ENCODED_XOP ? 'Z' : '-';
    default:
        return '-';
    }
}

static void take_operands(struct insn_parts *p)
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
        p->immediate = take_number(p, 1);
        break;
    case 'Z':
        take_modrm(p);
        p->immediate = take_number(p, z);
        break;
    case 't':
        take_modrm(p);
        if (p->digit < 2)
            p->immediate = take_number(p, p->opcode == 0xf6 ? 1 : z);
        break;
    case 'b':
    case 'j':
        p->immediate = take_number(p, 1);
        break;
    case 'w':
        p->immediate = take_number(p, 2) & 0xffff;
        break;
    case 'e':
        p->immediate = take_number(p, 2) & 0xffff;
        p->digit = take_byte(p); /* nesting level */
        break;
    case 'z':
        p->immediate = take_number(p, z);
        break;
    case 'J':
        p->immediate = take_number(p, 4);
        break;
    case 'v':
        p->immediate = take_number(p, p->wide_rex ? 8 : z);
        break;
    case 'o':
        p->immediate = take_number(p, p->address32 ? 4 : 8);
        break;
    default:
        p->bad = true;
    }
}

size_t insn_parts_take(struct insn_parts *p, const uint8_t *code, size_t len)
{
    *p = (struct insn_parts){
        .at = code, .end = code + (len < MAX_LENGTH ? len : MAX_LENGTH)};
    take_opcode(p);
    if (!p->bad)
        take_operands(p);
    return p->bad ? 0 : (size_t)(p->at - code);
}
