/* SPDX-License-Identifier: BSD-2-Clause */
/* util/cpu/aarch64: each instruction of real code as llvm-objdump shows it, and
 * the stack before it as the unwind tables of the compiler say. */
#include "util/cpu/aarch64/a64.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "image/file/image.h"
#include "input.h"
#include "outside/unwind/cfi.h"
#include "outside/unwind/code_rows.h"
#include "util/err.h"

#define COMPILER "aarch64-linux-gnu-gcc"
#define OURS                                                                   \
    " -shared -fPIC -nostdlib -D_GNU_SOURCE -w -g -I$HOST "                    \
    "$HOST/image/dwarf/*.c $HOST/util/cpu/*/*insn.c $HOST/util/arena.c "       \
    "-o $OUT"

static struct image *img;

static void begin(const char *path)
{
    struct err e = {""};

    if (image_open(&img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    CHECK(image_cpu(img) == &cpu_aarch64);
}

/* --- What objdump shows --------------------------------------------------- */

static const struct {
    const char *mnemonic;
    enum insn_kind kind;
    bool has_target;
} kinds[] = {
    {"ret", INSN_RETURN, false},   {"retaa", INSN_RETURN, false},
    {"eret", INSN_RETURN, false},  {"bl", INSN_CALL, true},
    {"blr", INSN_CALL, false},     {"b", INSN_JUMP, true},
    {"br", INSN_JUMP_AWAY, false}, {"cbz", INSN_BRANCH, true},
    {"cbnz", INSN_BRANCH, true},   {"tbz", INSN_BRANCH, true},
    {"tbnz", INSN_BRANCH, true},   {"brk", INSN_TRAP, false},
    {"udf", INSN_TRAP, false},     {"nop", INSN_NOP, false},
    {"wfi", INSN_HALT, false},     {"wfe", INSN_HALT, false},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* The row of (kinds) for the instruction (mnemonic); KINDS: none. */
static size_t row_of(const char *mnemonic)
{
    size_t i = 0;

    if (strncmp(mnemonic, "b.", 2) == 0)
        mnemonic = "cbz";
    while (i < KINDS && strcmp(kinds[i].mnemonic, mnemonic) != 0)
        i++;
    return i;
}

static bool is_of_table(enum insn_kind kind)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].kind == kind)
            return true;
    return false;
}

/* Compare the instruction at (at) with (mnemonic) and (operands). */
static void check_insn(uint64_t at, const char *mnemonic, const char *operands)
{
    size_t have, i = row_of(mnemonic);
    const uint8_t *code = image_code(img, at, &have);
    const char *target = strstr(operands, "0x"), *end = strchr(operands, '<');
    struct insn in;

    CHECK(code != NULL);
    CHECK_EQ(a64_insn_decode(code, have, &in), 4);
    if (i == KINDS ? is_of_table(in.kind) : in.kind != kinds[i].kind)
        check_failed(__FILE__, __LINE__, "%" PRIx64 " %s %s: kind %d", at,
                     mnemonic, operands, (int)in.kind);
    /* the last operand, before "<name+0x10>" */
    for (const char *next = target; next != NULL && next < end;
         next = strstr(next + 2, "0x"))
        target = next;
    if (i < KINDS && kinds[i].has_target && target != NULL)
        CHECK_EQ(at + 4 + (uint64_t)in.value, strtoull(target, NULL, 16));
}

static unsigned check_kinds(const char *path)
{
    char *list = input_run("llvm-objdump -d --no-show-raw-insn %s", path);
    char *rest, *after;
    unsigned n = 0;

    begin(path);
    for (char *line = strtok_r(list, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        uint64_t at = strtoull(line, &after, 16);
        char mnemonic[32] = "";
        int length = 0;

        if (after == line || *after != ':' ||
            sscanf(after + 1, " %31s%n", mnemonic, &length) != 1 ||
            mnemonic[0] == '.' || mnemonic[0] == '<')
            continue;
        check_insn(at, mnemonic, after + 1 + length);
        n++;
    }
    image_close(img);
    free(list);
    return n;
}

/* Catches: a wrong field, a target that is counted from the wrong place */
TEST(kinds_are_those_of_objdump)
{
    CHECK(check_kinds(input_build(COMPILER, "ours",
                                  COMPILER " -O2 -mbranch-protection="
                                           "standard" OURS)) > 5000);
}

/* --- What unwind tables say ----------------------------------------------- */

struct counts {
    unsigned known, all;
};

static void check_state(const struct cfi_row *row, const struct frame_state *s,
                        uint64_t at, struct counts *n)
{
    const struct cfi_rule *back = &row->rules[A64_X30];
    bool by_fp = row->cfa.number == A64_X29;

    if (!by_fp && s->depth != FRAME_DEPTH_UNKNOWN &&
        s->depth != row->cfa.offset)
        check_failed(__FILE__, __LINE__, "%" PRIx64 ": depth %d, not %" PRId64,
                     at, s->depth, row->cfa.offset);
    if (by_fp && s->fp == FP_FRAME && s->frame != row->cfa.offset)
        check_failed(__FILE__, __LINE__, "%" PRIx64 ": frame %d, not %" PRId64,
                     at, s->frame, row->cfa.offset);
    /* x30 has the return address, too, before its store is noted as a row and
     * after its load; a call that is missed would show as a lost x30 later */
    bool both = s->back == FRAME_BACK_IN_LINK && back->how == CFI_AT &&
                s->depth >= -back->offset;

    if (s->back != FRAME_BACK_LOST && !both &&
        s->back != (back->how == CFI_AT ? -back->offset : FRAME_BACK_IN_LINK))
        check_failed(__FILE__, __LINE__, "%" PRIx64 ": back at %d", at,
                     s->back);
    n->known += s->back != FRAME_BACK_LOST &&
                (by_fp ? s->fp == FP_FRAME : s->depth != FRAME_DEPTH_UNKNOWN);
    n->all++;
}

static struct counts check_states(const char *path)
{
    struct counts n = {0, 0};
    struct code_row found;
    struct cfi_row row;

    begin(path);
    struct cfi *cfi = cfi_new(img);
    struct code_rows *rows = code_rows_new(img);

    CHECK(cfi != NULL && rows != NULL);
    for (size_t i = 0; i < cfi_count(cfi); i++) {
        uint64_t low, high;

        cfi_extent(cfi, i, &low, &high);
        for (; low < high; low += 4) {
            CHECK_EQ(cfi_find(cfi, low, &row), CFI_FOUND);
            if (row.cfa.how == CFI_OTHER && code_rows_find(rows, low, &found))
                check_state(&row, &found.at, low, &n);
        }
    }
    code_rows_free(rows);
    cfi_free(cfi);
    image_close(img);
    return n;
}

static void states_of(const char *flags)
{
    char command[512];

    (void)snprintf(command, sizeof command, COMPILER " %s" OURS, flags);
    struct counts n = check_states(input_build(COMPILER, "states", command));

    printf("%s: %u of %u states known\n", flags, n.known, n.all);
    CHECK(n.all > 3000);
    CHECK(n.known > n.all - n.all / 50);
}

/* Catches: a store of x30 that is missed, a frame that is thought removed, a
 * caller by a register that a call has overwritten */
TEST(states_are_those_of_the_tables)
{
    states_of("-O2 -fno-omit-frame-pointer");
    states_of("-Os -fomit-frame-pointer");
    states_of("-O2 -mbranch-protection=standard");
    states_of("-O0");
    states_of("-O3 -fstack-protector-all -fstack-clash-protection");
}

/* --- Single instructions -------------------------------------------------- */

static struct insn decoded(uint32_t word)
{
    const uint8_t code[4] = {(uint8_t)word, (uint8_t)(word >> 8),
                             (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
    struct insn in;

    CHECK_EQ(a64_insn_decode(code, sizeof code, &in), 4);
    return in;
}

/* Catches: marks that no compiler's code shows */
TEST(rare_instructions_are_known)
{
    static const uint8_t clear[] = {0xff, 0x42, 0x03, 0xd5};
    static const uint8_t set[] = {0xdf, 0x42, 0x03, 0xd5};
    static const uint8_t from[] = {0x20, 0x42, 0x1b, 0xd5};

    CHECK_EQ(decoded(0xd69f03e0).marks, INSN_ENDS_INTERRUPT); /* eret */
    CHECK_EQ(decoded(0xaa1f03fd).marks, INSN_CLEARS_FP);      /* mov x29, xzr */
    CHECK_EQ(decoded(0xd280001d).marks, INSN_CLEARS_FP);      /* mov x29, #0 */
    CHECK_EQ(decoded(0x9100001f).marks, INSN_NEW_STACK);      /* mov sp, x0 */
    CHECK_EQ(decoded(0xf81f0ffe).kind, INSN_STORE); /* str x30, [sp, -16]! */
    CHECK_EQ(decoded(0xf84107fe).after, 16);        /* ldr x30, [sp], #16 */
    CHECK_EQ(cpu_aarch64.holdup(clear, 4), HOLDUP_DAIFCLR);
    CHECK_EQ(cpu_aarch64.holdup(set, 4), HOLDUP_NONE);
    CHECK_EQ(cpu_aarch64.holdup(from, 4), HOLDUP_DAIF);
    CHECK_EQ(cpu_aarch64.strip(0xff34000040080070), 0x40080070);
    CHECK_EQ(cpu_aarch64.strip(0xffb4800040080070), 0xffff800040080070);
}

TEST(no_word_reads_further) /* catches: overreads, shifts that are too far */
{
    uint32_t random = 1;
    struct insn in;

    for (unsigned n = 0; n < 2000000; n++) {
        uint8_t *code = malloc(n % 5 + 1); /* a sanitizer sees its end */

        CHECK(code != NULL);
        for (unsigned i = 0; i < n % 5; i++) {
            random = random * 1664525u + 1013904223u;
            code[i] = (uint8_t)(random >> 24);
        }
        CHECK(a64_insn_decode(code, n % 5, &in) <= n % 5);
        free(code);
    }
}
