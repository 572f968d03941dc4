/* SPDX-License-Identifier: BSD-2-Clause */
/* blocks, disasm: against objdump, and by hand. */
#include "annotate/blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "image/file/image.h"
#include "input.h"
#include "util/cpu/cpu.h"
#include "util/err.h"

/* --- Blocks as objdump shows them ----------------------------------------- */

enum { BEGINS = 1, LEADS = 2, ODD = 4 };

/* One function, byte by byte. */
struct shown {
    uint64_t start, size;
    uint8_t *flags; /* one more than (size) */
};

static void mark(struct shown *s, uint64_t address, uint8_t flag)
{
    if (address - s->start < s->size)
        s->flags[address - s->start] |= flag;
}

/* Does (text), such as "bnd jmp 401000 <f>", have the word (word)? */
static bool has_word(const char *text, const char *word)
{
    size_t len = strlen(word);
    const char *at = strstr(text, word);

    return at != NULL && (at == text || at[-1] == ' ') &&
           (at[len] == '\0' || at[len] == ' ');
}

/* What the mnemonic in (text) says; objdump's names, not our decoder's. */
static bool ends(const char *text)
{
    static const char *const words[] = {
        "ret", "iretq", "sysretq", "ud2", "int3", "sysretl", "ud1", "sysexit"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(text, words[i]))
            return true;
    return text[0] == 'j' || has_word(text, "jmp") ||
           strncmp(text, "loop", 4) == 0 ||
           strncmp(text, "notrack jmp", 11) == 0;
}

/* Where (text) leads to by a number: "jne 401000 <f+0x10>"; 0: nowhere. */
static uint64_t leads_to(const char *text)
{
    const char *angle = strchr(text, '<'), *at = angle;

    if (angle == NULL || strchr(text, '*') != NULL ||
        strchr(text, '#') != NULL || strchr(text, '(') != NULL ||
        (!ends(text) && strstr(text, "call") == NULL))
        return 0;
    while (at > text && at[-1] == ' ')
        at--;
    while (at > text && at[-1] != ' ')
        at--;
    return strtoull(at, NULL, 16);
}

/* What objdump cannot take apart, or writes in two lines. */
static bool is_odd(const char *text)
{
    return strstr(text, "(bad)") != NULL || strstr(text, ".byte") != NULL ||
           strncmp(text, "fwait", 5) == 0 || strncmp(text, "rex", 3) == 0;
}

static void take_line(struct shown *s, char *line, bool *after_end)
{
    char *text;
    uint64_t at = strtoull(line, &text, 16);

    if (line[0] != ' ' || *text != ':' || at - s->start >= s->size)
        return;
    text += 1 + strspn(text + 1, " \t");
    mark(s, at, BEGINS);
    if (is_odd(text))
        s->flags[s->size] |= ODD;
    if (*after_end)
        mark(s, at, LEADS);
    *after_end = ends(text);
    if (leads_to(text) != 0)
        mark(s, leads_to(text), LEADS);
}

/* Compare the leaders of (s) with ours. Returns how many there are. */
static unsigned compare(const struct shown *s, const uint8_t *code,
                        const char *name)
{
    struct blocks b;
    unsigned n = 0;

    CHECK_EQ(blocks_find(&b, &cpu_x86_64, code, s->size), 0);
    for (uint32_t i = 0; i < b.block_count; i++)
        n += b.blocks[i].count;
    CHECK_EQ(n, b.insn_count);
    for (uint64_t at = 0, i = 0; at < s->size; at++) {
        bool theirs = (s->flags[at] & (BEGINS | LEADS)) == (BEGINS | LEADS);
        bool ours =
            i < b.block_count && b.insns[b.blocks[i].first].offset == at;

        if (ours != theirs)
            check_failed(__FILE__, __LINE__,
                         "%s+0x%" PRIx64 ": objdump shows %s here", name, at,
                         theirs ? "a block" : "none");
        i += ours;
    }
    n = b.block_count;
    blocks_fini(&b);
    return n;
}

/* The blocks of (f) of (img); 0: objdump does not understand it. */
static unsigned check_function(const struct image *img, const char *path,
                               const struct image_function *f)
{
    struct shown s = {f->start, f->size, calloc(1, f->size + 1)};
    char *list = input_run("objdump -dw --no-show-raw-insn "
                           "--start-address=0x%" PRIx64
                           " --stop-address=0x%" PRIx64 " %s",
                           f->start, f->start + f->size, path);
    char *rest;
    bool after_end = true;
    size_t have = f->size;
    unsigned n = 0;
    const uint8_t *code = image_code(img, f->start, &have);

    CHECK(s.flags != NULL && code != NULL && have >= f->size);
    for (char *line = strtok_r(list, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        take_line(&s, line, &after_end);
    if ((s.flags[s.size] & ODD) == 0)
        n = compare(&s, code, f->name);
    free(list);
    free(s.flags);
    return n;
}

/* All functions of (path), at most 200. Returns how many blocks they have. */
static unsigned check_functions(const char *path)
{
    const struct image_function *f;
    struct err e = {""};
    struct image *img;
    unsigned n = 0;
    size_t seen = 0;

    if (image_open(&img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    for (size_t i = 0; (f = image_function_at(img, i)) != NULL; i++)
        if (f->sized && f->size > 16 && seen++ < 200)
            n += check_function(img, path, f);
    image_close(img);
    printf("%s: %u blocks\n", path, n);
    return n;
}

#define OURS                                                                   \
    " -shared -fPIC -nostdlib -D_GNU_SOURCE -w -g -I$HOST "                    \
    "$HOST/image/dwarf/*.c $HOST/util/cpu/x86_64/x86_insn.c "                  \
    "$HOST/util/arena.c "                                                      \
    "-fno-omit-frame-pointer -o $OUT"

TEST(blocks_of_gcc_are_those_of_objdump) /* catches: a leader too few or many */
{
    CHECK(check_functions(input_build("cc", "o2", "cc -O2" OURS)) > 1000);
    CHECK(check_functions(input_build("cc", "o0", "cc -O0" OURS)) > 1000);
}

TEST(blocks_of_clang_are_those_of_objdump)
{
    CHECK(check_functions(input_build("clang", "o2", "clang -O2" OURS)) > 1000);
}

TEST(blocks_of_free_pascal_are_those_of_objdump)
{
    CHECK(check_functions(input_build(
              "fpc", "pascal",
              "fpc -gw2 -O2 -FU. -FE. $IN/nested.pas -o$OUT >/dev/null")) >
          300);
}

/* --- By hand ---------------------------------------------------------------
 */

#define FIND(b, ...)                                                           \
    blocks_find(b, &cpu_x86_64, (const uint8_t[]){__VA_ARGS__},                \
                sizeof((const uint8_t[]){__VA_ARGS__}))

TEST(a_loop_is_a_block)
{
    struct blocks b;

    /* mov ecx, 5; 1: dec ecx; jne 1b; ret */
    CHECK_EQ(FIND(&b, 0xb9, 5, 0, 0, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3), 0);
    CHECK_EQ(b.insn_count, 4);
    CHECK_EQ(b.block_count, 3);
    CHECK_EQ(b.blocks[1].first, 1);
    CHECK_EQ(b.blocks[1].count, 2);
    CHECK_EQ(b.insns[2].target, 1);
    CHECK_EQ(b.insns[0].target, BLOCK_NONE);
    CHECK_EQ(blocks_insn_at(&b, 0), 0);
    CHECK_EQ(blocks_insn_at(&b, 4), 0);
    CHECK_EQ(blocks_insn_at(&b, 8), 2);
    CHECK_EQ(blocks_insn_at(&b, 9), 3);
    CHECK_EQ(blocks_insn_at(&b, 10), BLOCK_NONE);
    CHECK_EQ(blocks_insn_at(&b, UINT64_MAX), BLOCK_NONE);
    CHECK_EQ(blocks_block_of(&b, 0), 0);
    CHECK_EQ(blocks_block_of(&b, 2), 1);
    CHECK_EQ(blocks_block_of(&b, 3), 2);
    blocks_fini(&b);
}

TEST(a_call_ends_no_block_and_begins_one_where_it_leads)
{
    struct blocks b;

    /* call 1f; nop; 1: ret */
    CHECK_EQ(FIND(&b, 0xe8, 1, 0, 0, 0, 0x90, 0xc3), 0);
    CHECK_EQ(b.block_count, 2);
    CHECK_EQ(b.blocks[0].count, 2);
    blocks_fini(&b);
}

TEST(jumps_that_lead_nowhere_begin_nothing) /* catches: reads outside */
{
    struct blocks b;

    /* jmp far before; jmp far behind; jmp into itself; half a jmp */
    CHECK_EQ(FIND(&b, 0xe9, 0, 0, 0, 0x80, 0xe9, 0xff, 0xff, 0xff, 0x7f, 0xeb,
                  0xff, 0xe9, 0),
             0);
    CHECK_EQ(b.insn_count, 5); /* the last two bytes are none */
    CHECK(b.insns[3].bad && b.insns[3].size == 1);
    CHECK_EQ(b.block_count, 5);
    for (uint32_t i = 0; i < b.insn_count; i++)
        CHECK_EQ(b.insns[i].target, BLOCK_NONE);
    blocks_fini(&b);
}

TEST(jumps_through_registers_and_tables_are_counted) /* catches: calls, too */
{
    struct blocks b;

    /* jmp rax; jmp [rax * 8 + 1]; call rax; jmp 1f; 1: ret */
    CHECK_EQ(FIND(&b, 0xff, 0xe0, 0xff, 0x24, 0xc5, 1, 0, 0, 0, 0xff, 0xd0,
                  0xeb, 0, 0xc3),
             0);
    CHECK_EQ(b.jumps_away, 2);
    blocks_fini(&b);
}

TEST(no_code_has_no_blocks)
{
    static uint8_t long_one[BLOCKS_BYTES_MAX + 1];
    struct blocks b;

    CHECK_EQ(blocks_find(&b, &cpu_x86_64, long_one, 0), 0);
    CHECK_EQ(b.block_count, 0);
    CHECK_EQ(blocks_insn_at(&b, 0), BLOCK_NONE);
    blocks_fini(&b);
    CHECK_EQ(blocks_find(&b, &cpu_x86_64, long_one, sizeof long_one), 0);
    CHECK_EQ(b.block_count, 0);
    blocks_fini(&b);
    CHECK_EQ(blocks_find(&b, &cpu_x86_64, long_one, BLOCKS_BYTES_MAX), 0);
    CHECK_EQ(b.block_count, 1); /* add [rax], al, and again */
    CHECK_EQ(b.insn_count, BLOCKS_BYTES_MAX / 2);
    blocks_fini(&b);
}

/* --- Text ------------------------------------------------------------------
 */

static const char *text(struct disasm *d, const char *code, size_t size)
{
    static char buf[DISASM_TEXT];

    return disasm_text(d, (const uint8_t *)code, size, 0x1000, buf);
}

TEST(an_instruction_is_text)
{
    struct disasm *d = disasm_new(&cpu_x86_64);

    CHECK(d != NULL);
    CHECK_STR(text(d, "\xc3", 1), "ret");
    CHECK_STR(text(d, "\x48\x89\xe5", 3), "mov     rbp, rsp");
    CHECK_STR(text(d, "\x75\xfc", 2), "jne     0xffe");
    disasm_free(d);
    disasm_free(NULL);
}

TEST(what_is_no_instruction_is_bytes) /* catches: bytes behind it read */
{
    struct disasm *d = disasm_new(&cpu_x86_64);

    CHECK(d != NULL);
    CHECK_STR(text(d, "\x06", 1), "db 0x06");
    CHECK_STR(text(d, "\x48", 1), "db 0x48");           /* half of one */
    CHECK_STR(text(d, "\xc3\xc3", 2), "db 0xc3, 0xc3"); /* two */
    CHECK_STR(text(d, "", 0), "db");
    disasm_free(d);
}
