/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize: names, lines and inline chains against __LINE__ and addr2line. */
#include "image/names/symbolize.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "alloc.h"
#include "check.h"
#include "image/code/frame_place.h"
#include "image/file/image.h"
#include "input.h"
#include "spot.h"
#include "util/err.h"

#define LINK "-nostdlib -static -fno-pie -no-pie "

static struct image *img;
static struct symbolizer *sym;

static void begin(const char *path, uint64_t slide)
{
    struct err e = {""};

    if (image_open(&img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    sym = symbolizer_new(img, slide);
    CHECK(sym != NULL);
}

static void end(void)
{
    symbolizer_free(sym);
    image_close(img);
}

/* A file made by command "(compiler) (flags) source". */
static const char *build(const char *compiler, const char *flags)
{
    char command[512];

    (void)snprintf(command, sizeof command, "%s %s -o $OUT", compiler, flags);
    return input_build(compiler, "elf", command);
}

static const char *last_part(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;

    return slash != NULL ? slash + 1 : path;
}

/* Every SPOT must be in the function and on the line that it is written. */
static void check_spots(const char *path, const char *source)
{
    size_t size;
    const uint8_t *spots;

    begin(path, 0);
    spots = image_section(img, "spots", &size);
    CHECK(spots != NULL && size >= (size_t)4 * SPOT_BYTES);
    for (; size >= SPOT_BYTES; size -= SPOT_BYTES, spots += SPOT_BYTES) {
        const struct symbol *s;
        uint64_t at, line;

        memcpy(&at, spots, 8);
        memcpy(&line, spots + 8, 8);
        s = symbolize(sym, at);
        CHECK_STR(s->function, (const char *)spots + 16);
        CHECK_EQ(s->line, line);
        CHECK_STR(last_part(s->file), source);
    }
    CHECK_EQ(image_flaws(img) & ~(unsigned)IMAGE_NO_BUILD_ID, 0);
    end();
}

TEST(function_and_line_are_the_sources_gcc) /* catches: off by one row */
{
    check_spots(build("gcc", "-O2 -gdwarf-5 " LINK "$IN/inline.c"), "inline.c");
    check_spots(build("gcc", "-O2 -gdwarf-4 " LINK "$IN/inline.c"), "inline.c");
    check_spots(build("gcc", "-O0 -gdwarf-3 " LINK "$IN/inline.c"), "inline.c");
    check_spots(build("gcc", "-O3 -gdwarf-2 " LINK "$IN/inline.c"), "inline.c");
}

TEST(function_and_line_are_the_sources_clang) /* catches: forms of clang's */
{
    check_spots(build("clang", "-O2 -gdwarf-5 -nostdlib -static -fno-pie "
                               "$IN/inline.c"),
                "inline.c");
    check_spots(build("clang", "-O1 -gdwarf-4 -nostdlib -static -fno-pie "
                               "$IN/inline.c"),
                "inline.c");
}

TEST(names_are_demangled) /* catches: mangled names, parents' names */
{
    check_spots(build("g++", "-O2 -g " LINK "$IN/names.cpp"), "names.cpp");
    check_spots(build("clang++", "-O2 -g -nostdlib -static -fno-pie "
                                 "$IN/names.cpp"),
                "names.cpp");
}

/* Compare the chain of (at) with the lines of addr2line's answer to it. */
static void same_chain(uint64_t at, char **rest)
{
    const struct symbol *s = symbolize(sym, at);

    for (; s != NULL; s = s->inlined_into) {
        char *function = strtok_r(NULL, "\n", rest);
        char *place = strtok_r(NULL, "\n", rest);
        char ours[512];

        (void)snprintf(ours, sizeof ours, "%s:%" PRIu32,
                       s->file != NULL ? s->file : "??", s->line);
        CHECK(function != NULL && place != NULL);
        place[strcspn(place, " ")] = '\0'; /* " (discriminator N)" */
        if (strcmp(place + strlen(place) - 2, ":?") == 0)
            place[strlen(place) - 1] = '0';
        if (strcmp(s->function, function) != 0 || strcmp(ours, place) != 0)
            check_failed(__FILE__, __LINE__, "0x%" PRIx64 ": %s %s, not %s %s",
                         at, s->function, ours, function, place);
    }
}

/* All addresses of all functions, one by one. Returns how many were inlined. */
static unsigned same_as(const char *tool, const char *path)
{
    const struct image_function *f;
    char list[256], *said, *rest, *line;
    uint64_t *pcs = calloc(1 << 20, sizeof *pcs);
    size_t n = 0;
    unsigned inlined = 0;
    FILE *addresses;

    begin(path, 0);
    (void)snprintf(list, sizeof list, "%s.list", path);
    addresses = fopen(list, "w");
    CHECK(pcs != NULL && addresses != NULL);
    for (size_t i = 0; (f = image_function_at(img, i)) != NULL; i++) {
        for (uint64_t at = 0; f->sized && at < f->size && n < 1 << 20; at++) {
            pcs[n++] = f->start + at;
            (void)fprintf(addresses, "0x%" PRIx64 "\n", f->start + at);
        }
    }
    CHECK(fclose(addresses) == 0);
    symbolizer_prepare(sym, pcs, n);
    said = input_run("%s -a -i -f -e %s <%s", tool, path, list);
    line = strtok_r(said, "\n", &rest);
    for (size_t i = 0; i < n; i++) {
        CHECK(line != NULL);
        CHECK_EQ(strtoull(line, NULL, 16), pcs[i]);
        same_chain(pcs[i], &rest);
        inlined += symbolize(sym, pcs[i])->kind == SYMBOL_INLINED;
        line = strtok_r(NULL, "\n", &rest);
        CHECK((line != NULL) == (i + 1 < n)); /* no frame is missing */
    }
    free(said);
    free(pcs);
    end();
    return inlined;
}

TEST(inline_chains_equal_addr2line) /* catches: order, lines of calls */
{
    CHECK(same_as("addr2line",
                  build("gcc", "-O2 -gdwarf-5 " LINK "$IN/inline.c")) > 100);
    CHECK(same_as("addr2line",
                  build("gcc", "-O2 -gdwarf-4 " LINK "$IN/inline.c")) > 100);
    CHECK(
        same_as("addr2line", build("gcc", "-O2 -g -gz -ffunction-sections " LINK
                                          "$IN/inline.c")) > 100);
}

/* catches: DWARF that is there and called absent */
TEST(compressed_dwarf_equals_addr2line)
{
    static const char *const ways[] = {"zlib", "zlib-gnu", "zstd"};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char command[256];

        (void)snprintf(command, sizeof command,
                       "-O2 -gdwarf-4 " LINK "$IN/inline.c -o $OUT && objcopy "
                       "--compress-debug-sections=%s $OUT && :",
                       ways[i]);
        CHECK(same_as("addr2line", build("gcc", command)) > 100);
    }
}

/* catches: no word on why nothing is inlined */
TEST(dwarf_in_files_of_its_own_is_told)
{
    static const char *const ways[][2] = {{"gcc", "-gdwarf-4 -fno-pie -no-pie"},
                                          {"gcc", "-gdwarf-5 -fno-pie -no-pie"},
                                          {"clang", "-gdwarf-4 -fno-pie"},
                                          {"clang", "-gdwarf-5 -fno-pie"}};

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char flags[256];
        uint64_t at;

        (void)snprintf(flags, sizeof flags,
                       "-O2 -gsplit-dwarf -nostdlib -static %s $IN/inline.c",
                       ways[i][1]);
        begin(build(ways[i][0], flags), 0);
        CHECK(image_find_symbol(img, "_start", &at));
        CHECK(symbolize(sym, at)->line != 0); /* lines are not split */
        CHECK_EQ(image_flaws(img) & ~(unsigned)IMAGE_NO_BUILD_ID,
                 IMAGE_SPLIT_DEBUG);
        CHECK(strstr(image_flaw_file(img, IMAGE_SPLIT_DEBUG), "inline.dwo") !=
              NULL);
        end();
    }
}

/* binutils 2.40 does not know the indexed range lists that clang writes */
TEST(inline_chains_equal_llvm_symbolizer) /* catches: indexed forms */
{
    const char *path = build("clang", "-O2 -gdwarf-5 -nostdlib -static "
                                      "-fno-pie $IN/inline.c");

    input_need("llvm-symbolizer");
    CHECK(same_as("llvm-symbolizer --output-style=GNU", path) > 100);
}

#define OURS                                                                   \
    "-shared -fPIC -nostdlib -D_GNU_SOURCE -w -I$HOST "                        \
    "$HOST/image/dwarf/*.c "                                                   \
    "$HOST/util/cpu/x86_64/x86_insn.c $HOST/util/arena.c"

TEST(larger_programs_equal_addr2line) /* catches: units, headers, shared code */
{
    CHECK(same_as("addr2line", build("gcc", "-O2 -g " OURS)) > 1000);
    CHECK(same_as("addr2line", build("gcc", "-O3 -gdwarf-4 " OURS)) > 1000);
}

TEST(all_at_once_equals_one_by_one) /* catches: what a batch shares */
{
    const char *path = build("gcc", "-O2 -g " LINK "$IN/inline.c");
    const struct image_text *t;
    struct symbolizer *alone;
    uint64_t pcs[4096];
    size_t n = 0;

    begin(path, 0x1000000);
    t = image_text_at(img, 0);
    for (size_t i = 0; i < t->bytes_len && n < 4096; i++) /* some twice */
        pcs[n++] = t->address + 0x1000000 + (i * 37) % t->bytes_len;
    symbolizer_prepare(sym, pcs, n);
    alone = symbolizer_new(img, 0x1000000);
    CHECK(alone != NULL);
    for (size_t i = 0; i < n; i++) {
        const struct symbol *first = symbolize(sym, pcs[i]), *a = first;
        const struct symbol *b = symbolize(alone, pcs[i]);

        for (; a != NULL && b != NULL;
             a = a->inlined_into, b = b->inlined_into) {
            CHECK_STR(a->function, b->function);
            CHECK_STR(a->file, b->file);
            CHECK_EQ(a->line, b->line);
            CHECK_EQ(a->start, b->start);
            CHECK_EQ(a->size, b->size);
        }
        CHECK(a == NULL && b == NULL);
        CHECK(symbolize(sym, pcs[i]) == first); /* remembered */
    }
    symbolizer_free(alone);
    end();
}

TEST(moved_images_are_found_by_the_slide) /* catches: its sign, extents */
{
    const char *path = build("gcc", "-O2 -g " LINK "$IN/inline.c");
    const uint64_t slide = 0xffffffff80000000u;
    const struct symbol *s;
    uint64_t at;

    begin(path, slide);
    CHECK(image_find_symbol(img, "hidden", &at));
    s = symbolize(sym, at + slide + 2);
    CHECK(s->kind == SYMBOL_DWARF || s->kind == SYMBOL_INLINED);
    CHECK_EQ(s->start, at + slide);
    s = symbolize(sym, at + 2);
    CHECK_EQ(s->kind, SYMBOL_ADDRESS);
    CHECK_EQ(strtoull(s->function, NULL, 16), at + 2);
    CHECK_EQ(s->start, at + 2);
    end();
}

TEST(without_debug_information_symbols_remain) /* catches: "??" */
{
    const struct symbol *s;
    uint64_t at;

    begin(build("gcc", "-O2 " LINK "$IN/inline.c"), 0);
    CHECK(image_find_symbol(img, "hidden", &at));
    s = symbolize(sym, at + 2);
    CHECK_STR(s->function, "hidden");
    CHECK(s->kind == SYMBOL_ELF && s->file == NULL && s->line == 0);
    CHECK_EQ(s->start, at);
    end();
    begin(build("gcc", "-O2 -s " LINK "$IN/inline.c"), 0);
    s = symbolize(sym, at + 2);
    CHECK_EQ(s->kind, SYMBOL_ADDRESS);
    CHECK_EQ(strtoull(s->function, NULL, 16), at + 2);
    end();
}

TEST(assembler_has_functions_and_lines) /* catches: C's neighbours' names */
{
    const struct symbol *s;
    uint64_t at;

    begin(build("gcc", "-g " LINK "$IN/labels.S"), 0);
    CHECK(image_find_symbol(img, "bare_label", &at));
    s = symbolize(sym, at);
    CHECK_STR(s->function, "bare_label");
    CHECK_STR(last_part(s->file), "labels.S");
    CHECK(s->line > 0);
    CHECK_EQ(symbolize(sym, at + 2)->line, s->line + 1);
    end();
}

TEST(cold_parts_have_their_functions_name) /* catches: "visible.cold" */
{
    const struct symbol *s;
    uint64_t at, hot;

    begin(build("gcc", "-O2 -g " LINK "$IN/inline.c"), 0);
    if (!image_find_symbol(img, "visible.cold", &at))
        SKIP("this compiler makes no cold part");
    CHECK(image_find_symbol(img, "visible", &hot));
    for (s = symbolize(sym, at); s->inlined_into != NULL;)
        s = s->inlined_into;
    CHECK_STR(s->function, "visible");
    CHECK(s->function == symbolize(sym, hot)->function); /* one pointer */
    end();
}

/* (name) must be the function at the symbol that contains (part). */
static void check_name_of(const char *path, const char *part, const char *name)
{
    char *list = input_run("nm %s | grep -i ' t ' | grep '%s'", path, part);
    const struct symbol *s;

    begin(path, 0);
    s = symbolize(sym, strtoull(list, NULL, 16) + 4);
    while (s->inlined_into != NULL)
        s = s->inlined_into;
    CHECK_STR(s->function, name);
    CHECK_EQ(s->kind, SYMBOL_DWARF);
    CHECK(s->line > 0);
    end();
    free(list);
}

TEST(rust_names_are_demangled) /* catches: hashes */
{
    const char *path = input_build(
        "rustc", "rust", "rustc -g -C opt-level=1 $IN/names.rs -o $OUT");

    check_name_of(path, "names.*Meter.*add", "names::Meter::add");
    check_name_of(path, "names.*twice", "names::twice");
}

TEST(a_line_of_another_file_moves_no_function) /* catches: one as two */
{
    const char *path = build("gcc", "-O1 -g " LINK "$IN/split.c");
    static const char *const spots[][2] = {{"spot_own", "split.c"},
                                           {"spot_other", "other.h"}};

    begin(path, 0);
    for (size_t i = 0; i < 2; i++) {
        char *at = input_run("nm %s | grep %s", path, spots[i][0]);
        const struct symbol *s = symbolize(sym, strtoull(at, NULL, 16));

        CHECK_STR(last_part(s->file), spots[i][1]);
        CHECK_STR(last_part(s->home), "split.c");
        free(at);
    }
    end();
}

TEST(functions_in_functions_are_found) /* catches: pruning */
{
    check_name_of(build("gcc", "-O1 -g " LINK "$IN/nested.c"), "inner",
                  "inner");
}

TEST(pascal_names_say_where_they_belong) /* catches: "INNER" alone */
{
    const char *path = input_build(
        "fpc", "pascal",
        "cd $(mktemp -d) && fpc -gw2 -O1 -o./out $IN/nested.pas >log 2>&1 && "
        "cd - >/dev/null && mv $OLDPWD/out $OUT");

    check_name_of(path, "OUTER.*INNER", "Nested.Outer.Inner(LongInt)");
    check_name_of(path, "_\\$\\$_OUTER", "Nested.Outer(LongInt)");
}

/* The linker drops the symbols by which the unit's root DIE names its ends. */
TEST(pascal_units_are_found_without_their_ends) /* catches: names, no lines */
{
    const char *path = input_build(
        "fpc", "dropped",
        "cd $(mktemp -d) && fpc -gw2 -O1 -Cn -FU. -o./out $IN/nested.pas "
        ">log 2>&1 && cd - >/dev/null && ld -e main --gc-sections "
        "--unresolved-symbols=ignore-all -o $OUT $OLDPWD/nested.o");

    check_name_of(path, "OUTER.*INNER", "Nested.Outer.Inner(LongInt)");
    check_name_of(path, "_\\$\\$_OUTER", "Nested.Outer(LongInt)");
}

/* Write (text) over the symbol name "evil_name_with_room". */
static const char *with_name(const char *text)
{
    static const char name[] = "evil_name_with_room";
    size_t size;
    uint8_t *elf = input_read(build("gcc", LINK "$IN/labels.S"), &size);
    uint8_t *at = memmem(elf, size, name, sizeof name);
    const char *path;

    CHECK(at != NULL && strlen(text) < sizeof name);
    memcpy(at, text, strlen(text) + 1);
    path = input_write("evil", elf, size);
    free(elf);
    return path;
}

/* The function of that symbol must be shown as (shown). */
static void shows(const char *text, const char *shown)
{
    uint64_t at;

    begin(with_name(text), 0);
    CHECK(image_find_symbol(img, text, &at));
    CHECK_STR(symbolize(sym, at)->function, shown);
    end();
}

TEST(names_with_terminal_escapes_come_out_harmless) /* catches: a tty owned */
{
    shows("a\033[2J\007\r\n\x7f", "a\\x1b[2J\\x07\\x0d\\x0a\\x7f");
    shows("c1\xc2\x9b"
          "31m\x9b",
          "c1\\xc2\\x9b31m\\x9b");
    // NOLINTNEXTLINE(misc-misleading-bidirectional): escaped here, too
    shows("bidi\xe2\x80\xae.c", "bidi\\xe2\\x80\\xae.c");
    shows("cut\xe2\x82", "cut\\xe2\\x82");
    shows("long\xc0\x9b", "long\\xc0\\x9b");
    shows("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", /* these are letters */
          "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
}

/* Catches: a demangler's exponential answer */
TEST(a_name_that_means_gigabytes_stays_mangled)
{
    char name[4096] = "_Z1f1AIiiE", source[8192];
    size_t len = strlen(name);
    const char *path;
    uint64_t at;

    /* S<n> = T<S<n-1>, S<n-1>>: each step doubles what is printed */
    for (int i = 0; i < 30; i++) {
        char base36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];

        len += (size_t)snprintf(name + len, sizeof name - len, "S_IS%c_S%c_E",
                                base36, base36);
    }
    (void)snprintf(source, sizeof source,
                   ".globl _start\n_start: nop\n%s: nop\n", name);
    path = input_write("name.s", (const uint8_t *)source, strlen(source));
    free(input_run("gcc " LINK "%s -o %s.elf", path, path));
    (void)snprintf(source, sizeof source, "%s.elf", path);
    begin(source, 0);
    at = image_text_at(img, 0)->address;
    for (size_t i = 0; i < image_text_at(img, 0)->bytes_len; i++)
        CHECK(strlen(symbolize(sym, at + i)->function) < 8192);
    end();
}

/* Ask for some thousand addresses of (path), if it opens at all. */
static void use(const char *path)
{
    const struct image_text *t;
    const struct symbol *s;
    struct frame_places *o;
    struct err e;
    uint64_t pcs[2048];
    size_t n = 0, length = 0;

    if (image_open(&img, path, &e) != 0) {
        CHECK(e.text[0] != '\0');
        return;
    }
    sym = symbolizer_new(img, 0);
    o = frame_places_new(img, 0);
    CHECK(sym != NULL && o != NULL);
    for (size_t i = 0; (t = image_text_at(img, i)) != NULL; i++) {
        for (uint64_t at = 0; at < t->bytes_len && n < 2048; at += 7)
            pcs[n++] = t->address + at;
    }
    symbolizer_prepare(sym, pcs, n);
    for (size_t i = 0; i < n; i++) {
        for (s = symbolize(sym, pcs[i]); s != NULL; s = s->inlined_into)
            length += strlen(s->function);
        length += frame_place_at(o, pcs[i]);
    }
    CHECK(length > 0 || n == 0);
    frame_places_free(o);
    end();
}

/* Linear congruence: the same damage in every run. */
static uint32_t random_at(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/*
 * Damage (path) in (rounds) ways, each of 1 to 16 bytes between (from) and the
 * end. Sanitizers and the case's time limit are the judges.
 */
static void survive(const char *path, size_t from, unsigned rounds)
{
    size_t size;
    uint8_t *good = input_read(path, &size);
    uint8_t *bad = malloc(size);
    uint32_t random = 1;

    CHECK(bad != NULL && from < size);
    for (unsigned round = 0; round < rounds; round++) {
        memcpy(bad, good, size);
        for (uint32_t n = 1 + random_at(&random) % 16; n > 0; n--) {
            size_t at = from + random_at(&random) % (size - from);

            bad[at] = (uint8_t)random_at(&random);
        }
        use(input_write("flipped", bad, size));
    }
    free(bad);
    free(good);
}

/* The most memory that this process ever had, in MiB. */
static long peak_mib(void)
{
    struct rusage u;

    CHECK_EQ(getrusage(RUSAGE_SELF, &u), 0);
    return u.ru_maxrss / 1024;
}

#define ROUNDS 500

TEST(flipped_bytes_do_no_harm_gcc) /* catches: any unbounded read */
{
    survive(build("gcc", "-O2 -gdwarf-5 " LINK "$IN/inline.c"), 0, ROUNDS);
    survive(build("gcc", "-O2 -gdwarf-4 " LINK "$IN/inline.c"), 0x2000, ROUNDS);
    CHECK(peak_mib() < 400);
}

TEST(flipped_bytes_do_no_harm_clang) /* catches: likewise, other forms */
{
    survive(build("clang", "-O2 -gdwarf-5 -nostdlib -static -fno-pie "
                           "$IN/inline.c"),
            0, ROUNDS);
    survive(build("gcc", "-O2 -g -gz " LINK "$IN/inline.c"), 0x2000, ROUNDS);
    survive(build("gcc",
                  "-O2 -gdwarf-4 " LINK "$IN/inline.c -o $OUT && objcopy "
                  "--compress-debug-sections=zstd $OUT && :"),
            0x2000, ROUNDS);
    CHECK(peak_mib() < 400);
}

/* The symbol at (target) in hostile.S made with (macro). */
static const struct symbol *hostile(const char *macro)
{
    char flags[128];
    uint64_t at;

    (void)snprintf(flags, sizeof flags, LINK "-D%s $IN/hostile.S", macro);
    begin(build("gcc", flags), 0);
    CHECK(image_find_symbol(img, "target", &at));
    return symbolize(sym, at);
}

TEST(origins_in_a_circle_come_to_an_end) /* catches: an endless loop */
{
    const struct symbol *s = hostile("CIRCLE");

    CHECK_EQ(s->kind, SYMBOL_DWARF);
    CHECK_STR(s->function, "target"); /* the symbol table's, for want of one */
    CHECK_EQ(image_flaws(img) & IMAGE_BAD_DEBUG, 0); /* cut, not exhausted */
    end();
}

TEST(a_million_scopes_are_cut) /* catches: unbounded chains */
{
    int depth = 0;

    for (const struct symbol *s = hostile("DEEP"); s; s = s->inlined_into)
        depth++;
    CHECK(depth > 1 && depth <= 128);
    CHECK(peak_mib() < 400);
    end();
}

TEST(no_list_is_read_without_end) /* catches: file size squared */
{
    CHECK_STR(hostile("LISTS")->function, "target");
    CHECK((image_flaws(img) & IMAGE_BAD_DEBUG) != 0);
    end();
}

TEST(counts_of_nothing_are_refused) /* catches: unbounded memory */
{
    CHECK_STR(hostile("COUNTS")->function, "target");
    CHECK((image_flaws(img) & IMAGE_BAD_DEBUG) != 0);
    CHECK(peak_mib() < 400);
    end();
}

TEST(every_allocation_may_fail) /* catches: NULL taken for memory */
{
    const char *path = build("gcc", "-O2 -g " LINK "$IN/inline.c");
    struct err e = {""};

    for (unsigned n = 1;; n++) {
        uint64_t pcs[64], at = 0x401000;
        struct frame_places *o;
        int opened;

        for (size_t i = 0; i < 64; i++)
            pcs[i] = at + 5 * i;
        alloc_fail_at(n);
        opened = image_open(&img, path, &e);
        sym = opened == 0 ? symbolizer_new(img, 0) : NULL;
        o = opened == 0 ? frame_places_new(img, 0) : NULL;
        if (sym != NULL)
            symbolizer_prepare(sym, pcs, 64);
        for (size_t i = 0; i < 64; i++) {
            CHECK(sym == NULL || symbolize(sym, pcs[i])->function != NULL);
            if (o != NULL)
                (void)frame_place_at(o, pcs[i]);
        }
        frame_places_free(o);
        symbolizer_free(sym);
        image_close(opened == 0 ? img : NULL);
        if (!alloc_failed())
            break;
    }
}

/* Catches: roots of threads that have no name; or callers that have no symbol
 * and get that of the function behind them */
TEST(return_address_behind_no_call_is_named_if_it_begins_a_function)
{
    const char *path = input_build(
        "gcc", "laid",
        "printf '.text\\n.globl one, two, three\\n"
        ".type one, @function\\none: nop; ret\\n.size one, 2\\n"
        ".balign 16\\n.type two, @function\\ntwo: ret\\n.size two, 1\\n"
        "nop; nop; call one\\n"
        ".type three, @function\\nthree: ret\\n.size three, 1\\n' | "
        "gcc -x assembler - -nostdlib -static -Wl,-Ttext=0x401000,-e,one "
        "-o $OUT");

    begin(path, 0);
    CHECK_STR(symbolize_call(sym, 0x401010)->function, "two");
    CHECK_STR(symbolize_call(sym, 0x401018)->function, "0x401017");
    CHECK_STR(symbolize_call(sym, 0x401001)->function, "one");
    CHECK_STR(symbolize_call(sym, 0x40100f)->function, "0x40100e");
    CHECK_STR(symbolize(sym, 0x40100f)->function, "0x40100f");
    end();
}
