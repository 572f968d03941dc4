/* SPDX-License-Identifier: BSD-2-Clause */
/* unwind/cfi: every row of real tables as readelf shows it, and tables by hand.
 */
#include "outside/unwind/cfi.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "check.h"
#include "image/file/image.h"
#include "input.h"
#include "util/cpu/x86_64/x86_registers.h"
#include "util/err.h"

static struct image *img;
static struct cfi *cfi;

static void begin(const char *path)
{
    struct err e = {""};

    if (image_open(&img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    cfi = cfi_new(img);
    CHECK(cfi != NULL);
}

static void end(void)
{
    cfi_free(cfi);
    image_close(img);
}

/* --- What readelf shows --------------------------------------------------- */

static const char *const names[(X86_PC + 1)] = {
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
    "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra"};

/* A rule as readelf writes it. */
static void write_rule(char text[32], const struct cfi_rule *rule)
{
    static const char *const fixed[] = {
        [CFI_UNTOLD] = "u",
        [CFI_UNDEFINED] = "u",
        [CFI_SAME] = "s",
        [CFI_AT_EXPRESSION] = "exp",
        [CFI_IS_EXPRESSION] = "vexp",
    };

    if (rule->how == CFI_AT)
        (void)snprintf(text, 32, "c%+" PRId64, rule->offset);
    else if (rule->how == CFI_IS)
        (void)snprintf(text, 32, "v%+" PRId64, rule->offset);
    else if (rule->how == CFI_OTHER)
        (void)snprintf(text, 32, "r%u", rule->number);
    else
        (void)snprintf(text, 32, "%s", fixed[rule->how]);
}

static void write_cfa(char text[32], const struct cfi_rule *rule)
{
    if (rule->how == CFI_IS_EXPRESSION)
        (void)snprintf(text, 32, "exp");
    else
        (void)snprintf(text, 32, "%s%+" PRId64, names[rule->number],
                       rule->offset);
}

/* The columns of the entry that is being read: register numbers. */
struct columns {
    unsigned list[(X86_PC + 1)], count;
};

static void read_columns(struct columns *c, char *line)
{
    char *rest, *word;

    (void)strtok_r(line, " ", &rest); /* LOC */
    (void)strtok_r(NULL, " ", &rest); /* CFA */
    c->count = 0;
    while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
        unsigned i = 0;

        while (i < (X86_PC + 1) && strcmp(names[i], word) != 0)
            i++;
        CHECK(i < (X86_PC + 1) && c->count < (X86_PC + 1));
        c->list[c->count++] = i;
    }
}

/* The next word that is a rule; a register's name follows in parentheses. */
static const char *next_rule(char **rest)
{
    const char *word = strtok_r(NULL, " ", rest);

    while (word != NULL && word[0] == '(')
        word = strtok_r(NULL, " ", rest);
    return word;
}

/* One row: address, CFA, and the rule of each column. */
static void check_row(const struct columns *c, char *line, uint64_t high)
{
    struct cfi_row row;
    char *rest, *word = strtok_r(line, " ", &rest), text[32];
    uint64_t at = strtoull(word, NULL, 16);

    if (at >= high) /* instructions behind the last byte */
        return;
    CHECK_EQ(cfi_find(cfi, at, &row), CFI_FOUND);
    CHECK_EQ(row.low, at);
    write_cfa(text, &row.cfa);
    CHECK_STR(text, next_rule(&rest));
    for (unsigned i = 0; i < c->count; i++) {
        write_rule(text, &row.rules[c->list[i]]);
        CHECK_STR(text, next_rule(&rest));
    }
    /* up to the next row all is the same */
    CHECK_EQ(cfi_find(cfi, row.high - 1, &row), CFI_FOUND);
    CHECK_EQ(row.low, at);
}

/* Compare all rows of entries for code. Returns how many there are. */
static unsigned check_rows(const char *path)
{
    char *list = input_run(
        "readelf --debug-dump=frames-interp %s 2>/dev/null || true", path);
    struct columns columns = {.count = 0};
    uint64_t low = 0, high = 0;
    char *rest, *after;
    unsigned n = 0;

    begin(path);
    for (char *line = strtok_r(list, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *pc = strstr(line, "pc=");
        size_t have;

        if (pc != NULL) {
            low = strtoull(pc + 3, &after, 16);
            high = strtoull(after + 2, NULL, 16);
            if (image_code(img, low, &have) == NULL)
                high = 0; /* dropped by the linker */
        } else if (strstr(line, " CIE ") != NULL) {
            high = 0;
        } else if (high != 0 && strstr(line, " LOC ") != NULL) {
            read_columns(&columns, line);
        } else if (high != 0 && strspn(line, "0123456789abcdef") == 16) {
            check_row(&columns, line, high);
            n++;
        }
    }
    end();
    free(list);
    return n;
}

#define OURS                                                                   \
    " -shared -fPIC -nostdlib -D_GNU_SOURCE -w -I$HOST "                       \
    "$HOST/image/dwarf/*.c $HOST/util/cpu/x86_64/x86_insn.c "                  \
    "$HOST/util/arena.c -o $OUT"

static void rows_of(const char *compiler, const char *flags)
{
    char command[512];
    unsigned n;

    (void)snprintf(command, sizeof command, "%s %s" OURS, compiler, flags);
    n = check_rows(input_build(compiler, "ours", command));
    printf("%s %s: %u rows\n", compiler, flags, n);
    CHECK(n > 200);
}

TEST(rows_are_those_of_readelf_gcc) /* catches: any instruction taken wrong */
{
    rows_of("gcc", "-O2 -fomit-frame-pointer");
    rows_of("gcc", "-O2 -fno-omit-frame-pointer -mstackrealign");
    rows_of("gcc", "-Os -g -fno-asynchronous-unwind-tables");
    rows_of("gcc", "-Os -gdwarf-2 -fno-asynchronous-unwind-tables");
}

TEST(rows_are_those_of_readelf_clang) /* catches: likewise */
{
    rows_of("clang", "-O2 -fomit-frame-pointer");
    rows_of("clang", "-O2 -g -fno-asynchronous-unwind-tables");
}

/* Catches: landing pads, personalities, cold parts */
TEST(rows_are_those_of_readelf_cpp)
{
    CHECK(check_rows(input_build("g++", "cpp",
                                 "g++ -O2 -g $IN/throws.cpp -o $OUT")) > 20);
}

TEST(rows_are_those_of_readelf_rust) /* catches: encodings of its tables */
{
    CHECK(check_rows(input_build("rustc", "rust",
                                 "rustc -O -g $IN/names.rs -o $OUT")) > 1000);
}

/*
 * Free Pascal 3.2 writes entries that nobody can read (8 bytes for a CIE's
 * offset, where the format has 4), and that are wrong: they know of no pushed
 * register, and of no way out. Catches: a table that is believed.
 */
TEST(tables_of_free_pascal_are_left_alone)
{
    struct cfi_row row;
    uint64_t outer;

    begin(input_build("fpc", "pas",
                      "fpc -O2 -gw2 -FU. -FE. $IN/nested.pas -o$OUT "
                      ">/dev/null"));
    CHECK(image_section_part(img, ".debug_frame").size > 100);
    CHECK(image_find_symbol(img, "P$NESTED_$$_OUTER$LONGINT", &outer));
    CHECK_EQ(cfi_find(cfi, outer, &row), CFI_NONE);
    CHECK_EQ(cfi_count(cfi), 0);
    end();
}

/* Catches: what compilers write rarely, such as expressions and signal frames.
 */
TEST(rows_are_those_of_readelf_libc)
{
    char *libc = input_run("ldd /bin/sh | sed -n 's/.*=> \\(.*libc[.].*\\) "
                           "(.*/\\1/p'");

    libc[strcspn(libc, "\n")] = '\0';
    if (libc[0] == '\0')
        SKIP("no libc.so to look into");
    CHECK(check_rows(libc) > 10000);
    free(libc);
}

/* Catches: what no compiler here writes. Only the second function is the frame
 * of an interrupt. */
TEST(rows_are_those_of_readelf_by_hand)
{
    const char *path = input_build(
        "cc", "rows", "cc -nostdlib -static -no-pie $IN/rows.S -o $OUT");
    const char *debug = input_build(
        "cc", "rows_debug",
        "sed 's/^_start:/&\\n.cfi_sections .debug_frame/' $IN/rows.S | "
        "cc -x assembler - -nostdlib -static -no-pie -o $OUT");
    uint64_t start, low, high;
    struct cfi_row row;

    CHECK_EQ(check_rows(path), 15);
    CHECK_EQ(check_rows(debug), 15);
    begin(path);
    CHECK(image_find_symbol(img, "_start", &start));
    CHECK_EQ(cfi_find(cfi, start, &row), CFI_FOUND);
    CHECK(!row.is_signal);
    cfi_extent(cfi, 1, &low, &high);
    CHECK_EQ(cfi_find(cfi, low, &row), CFI_FOUND);
    CHECK(row.is_signal);
    end();
}

static const char *joined(void)
{
    return input_build("cc", "joined",
                       "cc -nostdlib -static -no-pie $IN/tables.S -o $OUT");
}

TEST(extents_are_told_in_order) /* catches: a hole that gets a row */
{
    struct cfi_row row;
    uint64_t last = 0, low, high;

    begin(joined());
    CHECK_EQ(cfi_count(cfi), 2);
    for (size_t i = 0; i < cfi_count(cfi); i++) {
        cfi_extent(cfi, i, &low, &high);
        CHECK(low >= last && low < high);
        CHECK_EQ(cfi_find(cfi, low, &row), CFI_DAMAGED); /* no CFA */
        last = high;
    }
    CHECK_EQ(cfi_find(cfi, last, &row), CFI_NONE);
    CHECK_EQ(cfi_find(cfi, 0, &row), CFI_NONE);
    CHECK_EQ(cfi_find(cfi, UINT64_MAX, &row), CFI_NONE);
    end();
}

TEST(every_allocation_may_fail) /* catches: a crash without memory */
{
    struct err e = {""};
    unsigned n = 0;
    bool failed;

    CHECK_EQ(image_open(&img, joined(), &e), 0);
    do {
        alloc_fail_at(++n);
        cfi = cfi_new(img);
        failed = alloc_failed();
        CHECK(failed == (cfi == NULL));
        cfi_free(cfi);
    } while (failed);
    CHECK(n > 2);
    image_close(img);
}
