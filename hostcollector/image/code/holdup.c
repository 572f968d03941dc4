/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/code/holdup.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "image/file/image.h"
#include "util/cpu/insn.h"

/* Longest sti together with the instruction after it. */
#define STI_SPAN 16u
#define OPERAND  0x66u /* prefix of a 16-bit in or out */

static const char *const names[HOLDUPS] = {
    [HOLDUP_NONE] = "",       [HOLDUP_STI] = "sti",
    [HOLDUP_POPF] = "popf",   [HOLDUP_IN] = "in",
    [HOLDUP_OUT] = "out",     [HOLDUP_CPUID] = "cpuid",
    [HOLDUP_JUMP] = "",       [HOLDUP_RDTSC] = "rdtsc",
    [HOLDUP_RDMSR] = "rdmsr", [HOLDUP_WRMSR] = "wrmsr",
};

static const struct pattern {
    uint8_t size; /* of the instruction */
    uint8_t opcode_size, opcode[3];
    enum code_holdup holdup;
} patterns[] = {
    {1, 1, {0x9d}, HOLDUP_POPF},
    {1, 1, {0xec}, HOLDUP_IN},
    {1, 1, {0xed}, HOLDUP_IN},
    {2, 1, {0xe4}, HOLDUP_IN},
    {2, 1, {0xe5}, HOLDUP_IN},
    {1, 1, {0xee}, HOLDUP_OUT},
    {1, 1, {0xef}, HOLDUP_OUT},
    {2, 1, {0xe6}, HOLDUP_OUT},
    {2, 1, {0xe7}, HOLDUP_OUT},
    {2, 2, {0x0f, 0xa2}, HOLDUP_CPUID},
    {2, 2, {0x0f, 0x31}, HOLDUP_RDTSC},
    {3, 3, {0x0f, 0x01, 0xf9}, HOLDUP_RDTSC},
    {2, 2, {0x0f, 0x32}, HOLDUP_RDMSR},
    {2, 2, {0x0f, 0x30}, HOLDUP_WRMSR},
};

/* The (size) bytes at (code) as one instruction. */
static enum code_holdup holdup_of(const uint8_t *code, size_t size)
{
    if (size > 1 && *code == OPERAND) {
        code++;
        size--;
    }
    if (size == 1 && *code == 0xfb)
        return HOLDUP_STI;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        const struct pattern *p = &patterns[i];

        if (size == p->size && memcmp(code, p->opcode, p->opcode_size) == 0)
            return p->holdup;
    }
    return HOLDUP_NONE;
}

/* May one of these instructions end at (end), or sti one instruction before
 * (end)? STI_SPAN bytes are before (end). The answer is fast. A true answer may
 * be wrong. */
static bool may_be(const uint8_t *end)
{
    switch (end[-1]) {
    case 0x9d:
    case 0xec:
    case 0xed:
    case 0xee:
    case 0xef:
    case 0xa2:
    case 0x30:
    case 0x31:
    case 0x32:
    case 0xf9:
        return true;
    default:
        return (end[-2] & 0xfc) == 0xe4 ||
               memchr(end - STI_SPAN, 0xfb, STI_SPAN) != NULL;
    }
}

/* Does the next instruction follow an instruction of (kind) at once? */
static bool falls_through(enum insn_kind kind)
{
    return kind != INSN_CALL && kind != INSN_CALL_NEXT && kind != INSN_JUMP &&
           kind != INSN_JUMP_AWAY && kind != INSN_RETURN && kind != INSN_TRAP;
}

/* Find the kind as above, by reading the instructions from the function's
 * beginning (code) on. The last instruction ends at (length). */
static enum code_holdup holdup_at_end(const uint8_t *code, size_t length)
{
    enum code_holdup last = HOLDUP_NONE, before = HOLDUP_NONE;
    struct insn in = {INSN_TRAP, 0};

    for (size_t at = 0, size; at < length; at += size) {
        size = insn_decode(code + at, length - at, &in);
        if (size == 0)
            return HOLDUP_NONE;
        before = last;
        last = holdup_of(code + at, size);
    }
    return before == HOLDUP_STI && last == HOLDUP_NONE && falls_through(in.kind)
               ? HOLDUP_STI
               : last;
}

/* The code of (f), which may be NULL, if (size) bytes of the code are there. */
static const uint8_t *code_of(const struct image *img,
                              const struct image_function *f, uint64_t size)
{
    size_t have = 0;
    const uint8_t *code = f != NULL && size <= HOLDUP_FUNCTION_MAX
                              ? image_code(img, f->start, &have)
                              : NULL;

    return code != NULL && have >= size ? code : NULL;
}

enum code_holdup holdup_before(const struct image *img, uint64_t address)
{
    size_t have = 0;
    const uint8_t *code = image_code(img, address - STI_SPAN, &have);

    if (code != NULL && have >= STI_SPAN && !may_be(code + STI_SPAN))
        return HOLDUP_NONE;

    const struct image_function *f = image_find_function(img, address - 1);
    uint64_t length = f != NULL ? address - f->start : 0;

    code =
        f == image_find_function(img, address) ? code_of(img, f, length) : NULL;
    return code != NULL ? holdup_at_end(code, (size_t)length) : HOLDUP_NONE;
}

bool holdup_loops_to(const struct image *img, uint64_t address)
{
    const struct image_function *f = image_find_function(img, address);
    const uint8_t *code =
        f != NULL && f->start == address ? code_of(img, f, f->size) : NULL;

    for (size_t at = 0, size; code != NULL && at < f->size; at += size) {
        struct insn in;

        size = insn_decode(code + at, (size_t)f->size - at, &in);
        if (size == 0)
            return false;
        if ((in.kind == INSN_JUMP || in.kind == INSN_BRANCH) &&
            (uint64_t)in.value + at + size == 0)
            return true;
    }
    return false;
}

const char *holdup_name(enum code_holdup holdup)
{
    return names[holdup];
}
