/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of an encoded x86-64 instruction. Part of insn, which interprets
 * the fields.
 */
#ifndef TPROF_UTIL_CPU_X86_64_X86_INSN_PARTS_H
#define TPROF_UTIL_CPU_X86_64_X86_INSN_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fields of an instruction, filled during decoding. */
struct insn_parts {
    const uint8_t *at, *end;
    bool bad;
    bool wide_rex;                          /* REX.W */
    unsigned rex_r, rex_x, rex_b;           /* 0 or 8 */
    bool rex, operand16, address32, repeat; /* 66, 67, F3 */
    enum {
        INSN_ENCODED_LEGACY,
        INSN_ENCODED_VEX,
        INSN_ENCODED_EVEX,
        INSN_ENCODED_XOP
    } encoding;
    unsigned map;  /* 0: one byte, 1: 0F, 2: 0F38, 3: 0F3A, others: VEX, XOP */
    unsigned vvvv; /* the third register of VEX */
    uint8_t opcode;
    bool modrm;
    unsigned mod, reg, rm; /* with REX */
    unsigned digit;        /* ModRM.reg without REX: selects in a group */
    bool plain;            /* the memory operand is base plus displacement */
    unsigned base;         /* base register of the memory operand */
    int64_t displacement, immediate;
};

/*
 * Split the instruction at (code) into its fields. (len) bytes may be read.
 *
 * Returns:
 * - the length of the instruction, 1 to 15
 * - 0 if the bytes are no instruction, or are too few
 */
size_t insn_parts_take(struct insn_parts *p, const uint8_t *code, size_t len);

#endif
