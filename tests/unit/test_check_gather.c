/* SPDX-License-Identifier: BSD-2-Clause */
/* check: an image's facts against readelf, nm, size and objdump. */
#include "check/gather.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "alloc.h"
#include "check.h"
#include "check/report.h"
#include "image/file/image.h"
#include "input.h"
#include "util/err.h"
#include "util/spans.h"
#include "util/text.h"

#define KEEP "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer"

/* One function is not all that a set of addresses can do wrong. */
TEST(spans_count_each_address_once) /* catches: overlaps, gaps, ends */
{
    static const struct span in[] = {{50, 60}, {10, 20}, {20, 30}, {55, 58},
                                     {25, 40}, {70, 70}, {90, 80}, {59, 61}};
    struct spans s = {0}, other = {0};

    for (size_t i = 0; i < sizeof in / sizeof in[0]; i++)
        CHECK_EQ(spans_add(&s, in[i].low, in[i].high), 0);
    spans_settle(&s);
    CHECK_EQ(s.count, 2); /* 10 to 40, 50 to 61 */
    CHECK_EQ(spans_size(&s), 41);
    CHECK_EQ(spans_within(&s, 0, UINT64_MAX), 41);
    CHECK_EQ(spans_within(&s, 39, 51), 2);
    CHECK_EQ(spans_within(&s, 40, 50), 0);
    CHECK_EQ(spans_within(&s, 61, 90), 0);
    CHECK_EQ(spans_add(&other, 0, 11), 0);
    CHECK_EQ(spans_add(&other, 60, 100), 0);
    spans_settle(&other);
    CHECK_EQ(spans_common(&s, &other), 2);
    spans_fini(&s);
    spans_fini(&other);
}

static struct image *img;
static struct check_facts facts;

static void begin(const char *path)
{
    struct err e = {""};

    if (image_open(&img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    CHECK_EQ(check_gather(&facts, img), 0);
}

static void end(void)
{
    check_facts_fini(&facts);
    image_close(img);
}

/* A kernel of three units; objects stay beside it, as $OUT.framed.o ... */
static const char *build(const char *framed, const char *bare, const char *link)
{
    char command[1024];

    (void)snprintf(
        command, sizeof command,
        "cc -O2 -fno-pie " KEEP " %s -DPART=framed -c $IN/mix.c "
        "-o $OUT.framed.o && "
        "cc -O2 -fno-pie -fomit-frame-pointer -DOTHER_RBP -DPART=bare %s -c "
        "$IN/mix.c -o $OUT.bare.o && "
        "cc -O2 -fno-pie -g " KEEP " -nostdlib -static -no-pie "
        "-Wl,--build-id=sha1 %s $IN/mix_main.c $OUT.framed.o $OUT.bare.o "
        "-o $OUT",
        framed, bare, link);
    return input_build("cc", "mix", command);
}

static uint64_t take_number(char *said)
{
    uint64_t n = strtoull(said, NULL, 0);

    free(said);
    return n;
}

/* What the command (fmt) prints about (path). */
#define number(fmt, path) take_number(input_run(fmt, path))

#define TEXT_OF "size -A -d %s | awk '/^\\.text/ {n += $2} END {print n}'"

/* Unit (i) in the order of the link; they have one name but for the first. */
static const struct check_unit *unit_with(uint64_t bytes,
                                          enum check_frame frame)
{
    for (size_t i = 0; i < facts.unit_count; i++) {
        if (facts.units[i].code_bytes == bytes &&
            facts.units[i].frames.functions[frame] != 0)
            return &facts.units[i];
    }
    return NULL;
}

TEST(frames_are_told_by_the_code) /* catches: classes, units, bytes */
{
    const char *path = build("-g", "-g", "");
    const struct check_unit *framed, *bare;
    char object[300];

    begin(path);
    (void)snprintf(object, sizeof object, "%s.framed.o", path);
    framed = unit_with(number(TEXT_OF, object), CHECK_FRAMED);
    (void)snprintf(object, sizeof object, "%s.bare.o", path);
    bare = unit_with(number(TEXT_OF, object), CHECK_LEAF);
    CHECK(framed != NULL && bare != NULL);
    /* gcc gives a leaf that needs no stack none, whatever it is told */
    CHECK_EQ(framed->frames.functions[CHECK_FRAMED], 2);
    CHECK_EQ(framed->frames.functions[CHECK_LEAF], 1);
    CHECK_EQ(facts.frames.functions[CHECK_FRAMED],
             number("objdump -d %s | grep -c 'mov *%%rsp,%%rbp'", path));
    CHECK_EQ(bare->frames.functions[CHECK_LEAF], 1);
    CHECK_EQ(bare->frames.functions[CHECK_BARE], 1);
    CHECK_EQ(bare->frames.functions[CHECK_CUTTING], 1);
    CHECK_EQ(bare->frames.functions[CHECK_FRAMED], 0);
    CHECK_EQ(bare->frames.bytes[CHECK_BARE],
             number("nm -S %s | awk '/bare_caller/ {print \"0x\" $2}'", path));
    CHECK_EQ(facts.functions, number("nm %s | grep -ci ' t '", path));
    CHECK_EQ(facts.labels, 0);
    CHECK_STR(strrchr(bare->name, '/'), "/mix.c");
    CHECK(bare->language == CHECK_C && strstr(bare->producer, "GNU C") != NULL);
    end();
}

TEST(callers_are_told_without_frames) /* catches: depths, only calls */
{
    begin(input_build("cc", "told",
                      "cc -nostdlib -static -no-pie $IN/told.S -o $OUT"));
    CHECK_EQ(facts.frames.functions[CHECK_FRAMED], 1); /* the first */
    CHECK_EQ(facts.frames.functions[CHECK_CUTTING], 1);
    CHECK_EQ(facts.frames.told, 26 + 13 + 10 + 3 + 14); /* as told.S has it */
    CHECK_EQ(facts.frames.told_leaf, 3);
    end();
}

TEST(bytes_are_those_of_the_sections) /* catches: padding, other segments */
{
    const char *path = build("-g", "-g", "");

    begin(path);
    CHECK_EQ(facts.code_bytes, number(TEXT_OF, path));
    CHECK_EQ(facts.entry,
             number("readelf -h %s | sed -n 's/.*Entry.*: *//p'", path));
    CHECK(!facts.moves && !facts.pe && facts.has_dwarf && facts.has_symbols &&
          !facts.bad_dwarf);
    CHECK(facts.line_bytes <= facts.code_bytes &&
          facts.line_bytes > facts.code_bytes * 8 / 10);
    CHECK_EQ(facts.build_id_len, 20);
    end();
}

/* Each row holds up to the next; line 0 is none. */
#define LINES                                                                  \
    "llvm-dwarfdump --debug-line %s | grep ^0x | { n=0; l=0; "                 \
    "while read a line more; do [ $l = 0 ] || n=$((n + $a - p)); "             \
    "p=$a; l=$line; case $more in *end_sequence*) l=0; esac; done; echo $n; }"

TEST(lines_are_those_of_llvm_dwarfdump) /* catches: line 0, ends, padding */
{
    const char *path = build("-g", "-g", "");

    input_need("llvm-dwarfdump");
    begin(path);
    CHECK_EQ(facts.line_bytes, number(LINES, path));
    end();
    path = input_build("clang", "clang",
                       "clang -O2 -g -nostdlib -static -fno-pie "
                       "-ffunction-sections $IN/inline.c -o $OUT");
    begin(path);
    CHECK(number("llvm-dwarfdump --debug-line %s | grep -c '^0x[0-9a-f]*  *0 '",
                 path) != 0);
    CHECK(facts.line_bytes < facts.code_bytes);
    CHECK_EQ(facts.line_bytes, number(LINES, path));
    CHECK_EQ(facts.unit_count, 1);
    CHECK_EQ(facts.units[0].line_bytes, facts.line_bytes);
    end();
}

TEST(units_without_lines_are_told) /* catches: what has none counted */
{
    const char *path = build("-g", "", "");
    const struct check_unit *none;
    char object[300];
    uint64_t lined, plain;

    begin(path);
    (void)snprintf(object, sizeof object, "%s.framed.o", path);
    lined = number(TEXT_OF, object);
    (void)snprintf(object, sizeof object, "%s.bare.o", path);
    plain = number("nm -S %s | awk '/ T / {n += (\"0x\" $2) + 0; print $2}' |"
                   "while read x; do echo $((0x$x)); done |"
                   "awk '{n += $1} END {print n}'",
                   object);
    none = unit_with(plain, CHECK_LEAF);
    CHECK(none != NULL && none->name == NULL && none->line_bytes == 0);
    CHECK_EQ(none->language, CHECK_C);
    CHECK(facts.line_bytes >= lined);
    CHECK(facts.line_bytes <= facts.described);
    CHECK(facts.described + plain <= facts.code_bytes);
    CHECK(facts.named_bytes >= facts.described + plain);
    end();
}

TEST(stripped_images_say_so) /* catches: guesses */
{
    begin(build("-g", "-g", "-s"));
    CHECK(!facts.has_symbols && !facts.has_dwarf && !facts.agent.linked);
    CHECK_EQ(facts.functions, 0);
    CHECK_EQ(facts.named_bytes, 0);
    CHECK_EQ(facts.line_bytes, 0);
    CHECK(facts.code_bytes > 100 && facts.unit_count == 0);
    end();
}

TEST(position_and_identity_are_those_of_readelf) /* catches: ET_DYN */
{
    begin(input_build("cc", "pie",
                      "cc -O2 -g -fpie -pie -nostdlib -Wl,--build-id=none "
                      "-Wl,-e,_start $IN/inline.c -o $OUT"));
    CHECK(facts.moves && facts.build_id == NULL);
    end();
}

TEST(labels_have_no_size) /* catches: assembler taken for compiled code */
{
    const char *path = input_build(
        "cc", "labels", "cc -nostdlib -static -no-pie $IN/labels.S -o $OUT");

    begin(path);
    CHECK_EQ(facts.labels, 3); /* bare_label, evil_name, no_symbol */
    CHECK(facts.label_bytes > 0 && facts.label_bytes < facts.code_bytes);
    CHECK_EQ(facts.unit_count, 2);
    end();
}

/* readelf prints each entry's "pc=start..end". */
#define ENTRIES                                                                \
    "readelf --debug-dump=frames %s 2>/dev/null | "                            \
    "sed -n 's/.*pc=\\([0-9a-f]*\\)\\.\\.\\([0-9a-f]*\\).*/\\1 \\2/p' | "      \
    "while read a b; do echo $((0x$b - 0x$a)); done | "                        \
    "awk '{n += $1} END {print n + 0}'"

TEST(unwind_tables_cover_what_readelf_says) /* catches: encodings, CIEs */
{
    const char *path = build("-g", "-g", "");

    begin(path);
    CHECK(facts.table[CHECK_EH_FRAME] && !facts.table[CHECK_DEBUG_FRAME]);
    CHECK_EQ(facts.table_bytes[CHECK_EH_FRAME], number(ENTRIES, path));
    end();
    path = input_build("cc", "df",
                       "cc -O2 -g -fno-asynchronous-unwind-tables -fno-pie "
                       "-no-pie -nostdlib -static $IN/inline.c -o $OUT");
    begin(path);
    CHECK(!facts.table[CHECK_EH_FRAME] && facts.table[CHECK_DEBUG_FRAME]);
    CHECK(facts.table_bytes[CHECK_DEBUG_FRAME] > 100);
    CHECK_EQ(facts.table_bytes[CHECK_DEBUG_FRAME], number(ENTRIES, path));
    end();
    path = input_build("g++", "lsda",
                       "g++ -O2 -g -shared -fPIC $IN/throws.cpp -o $OUT");
    begin(path);
    CHECK_EQ(facts.table_bytes[CHECK_EH_FRAME], number(ENTRIES, path));
    end();
    path = input_build("cc", "joined",
                       "cc -nostdlib -static -no-pie $IN/tables.S -o $OUT");
    begin(path);
    CHECK_EQ(facts.table_bytes[CHECK_EH_FRAME], 15);
    CHECK_EQ(facts.table_bytes[CHECK_EH_FRAME], number(ENTRIES, path));
    end();
}

static bool has_capability(const char *symbol)
{
    for (unsigned i = 0; check_capabilities[i] != NULL; i++) {
        if (strcmp(check_capabilities[i], symbol) == 0)
            return (facts.agent.capabilities >> i & 1) != 0;
    }
    return false;
}

TEST(tprof_is_found_by_its_symbols) /* catches: version, bounds, memory */
{
    const char *fragments =
        "-DAGENT -DMEMORY -Wl,-T,$HOST/../linker/tprof_bounds.ld "
        "-Wl,-T,$HOST/../linker/tprof_memory.ld "
        "-Wl,-T,$HOST/../linker/tprof_note.ld";
    const char *path = build("-g", "-g", fragments);

    begin(path);
    CHECK(facts.agent.linked && facts.agent.has_note);
    CHECK_STR(facts.agent.version, "tprof 9.8.7");
    CHECK_EQ(facts.agent.wire, 0x203);
    CHECK(has_capability("tprof_vsock") && !has_capability("tprof_uart") &&
          !has_capability("tprof_kvm"));
    CHECK_EQ(facts.agent.memory_size, 0x60000);
    CHECK(facts.agent.has_bounds);
    CHECK_EQ(facts.agent.text_bytes, number(TEXT_OF, path));
    CHECK_EQ(
        facts.code_bytes - facts.agent.text_bytes,
        number("size -A -d %s | awk '/^\\.init\\.text/ {print $2}'", path));
    end();
    begin(build("-g", "-g", ""));
    CHECK(!facts.agent.linked && !facts.agent.has_bounds &&
          facts.agent.version == NULL && facts.agent.memory_size == 0);
    end();
}

/* Catches: reading past a segment's end */
TEST(what_is_damaged_is_not_believed)
{
    begin(input_build(
        "cc", "damaged",
        "{ echo '.globl _start; _start: ret'; "
        "echo '.data; tprof_anchor: .ascii \"tprof 1.2\"'; " /* and no NUL */
        "echo '__tprof_build_id: __tprof_build_id_end:'; "
        "echo '.section .debug_info; .long 1000; .value 4'; } > $OUT.s && "
        "cc -nostdlib -static -no-pie $OUT.s -o $OUT"));
    CHECK(facts.agent.linked && facts.agent.version == NULL);
    CHECK(!facts.agent.has_note);
    CHECK(facts.bad_dwarf);
    end();
}

TEST(the_agents_code_is_not_the_kernels) /* catches: its frames counted */
{
    const char *path = input_build(
        "cc", "own",
        "cc -O2 -g -fno-pie -fomit-frame-pointer -DPART=tprof -c $IN/mix.c -o "
        "$OUT.tprof.o && for p in framed bare; do cc -O2 -g -fno-pie " KEEP
        " -DPART=$p -c $IN/mix.c -o $OUT.$p.o; done && cc -O2 -g -fno-pie "
        "-nostdlib -static -no-pie $IN/mix_main.c $OUT.*.o -o $OUT");
    char object[300];

    begin(path);
    (void)snprintf(object, sizeof object, "%s.tprof.o", path);
    CHECK(facts.agent.code_bytes >= number(TEXT_OF, object) - 15);
    CHECK(facts.agent.code_bytes <= number(TEXT_OF, object));
    CHECK_EQ(facts.unit_count, 3);
    CHECK(facts.own_bytes + facts.agent.code_bytes <= facts.code_bytes);
    CHECK_EQ(facts.frames.functions[CHECK_BARE], 1); /* _start */
    CHECK_EQ(facts.functions, 10);
    end();
}

/* As a kernel without DWARF has libtprof.a: static functions between its names.
 */
TEST(static_functions_of_the_agent_are_known) /* catches: advice about them */
{
    begin(input_build(
        "cc", "static",
        "{ for f in _start own_before tprof_init hear_device tprof_poll "
        "own_behind own_last; do echo \".type $f,@function; $f: push %rbx; "
        "call "
        "_start; pop %rbx; ret; .size $f,.-$f\"; done; echo '.globl _start, "
        "tprof_init, tprof_poll, own_last'; } > $OUT.s && cc -nostdlib -static "
        "-no-pie $OUT.s -o $OUT"));
    CHECK_EQ(facts.frames.functions[CHECK_BARE], 4);
    CHECK_EQ(facts.own_bytes / 4, facts.agent.code_bytes / 3);
    for (size_t i = 0; i < CHECK_NAMED; i++) {
        CHECK(facts.bare[CHECK_C][i].name != NULL);
        CHECK(strcmp(facts.bare[CHECK_C][i].name, "hear_device") != 0);
    }
    end();
}

/* Two names of tprof do not make all between them tprof's. */
TEST(a_whole_kernel_is_not_the_agent) /* catches: a true warning lost */
{
    begin(input_build(
        "cc", "between",
        "{ echo '.globl _start; _start: ret'; for f in tprof_glue own "
        "tprof_init; do echo \".type $f,@function; $f: push %rbx; call _start; "
        "pop %rbx; ret; .size $f,.-$f; .skip 40000, 0x90\"; done; } > $OUT.s "
        "&& cc -nostdlib -static -no-pie $OUT.s -o $OUT"));
    CHECK_STR(facts.bare[CHECK_C][0].name, "own");
    end();
}

/* There must be code of (language), in compile units or beside them. */
static void has_language(const char *path, enum check_language language,
                         bool described)
{
    uint64_t bytes = 0;

    begin(path);
    for (size_t i = 0; i < facts.unit_count; i++) {
        if (facts.units[i].language == language &&
            (facts.units[i].name != NULL) == described)
            bytes += facts.units[i].code_bytes;
    }
    CHECK(bytes != 0);
    end();
}

/* What gcc makes of a function has dots in its name. */
TEST(parts_go_with_their_functions) /* catches: one counted twice, C for Go */
{
    begin(input_build(
        "cc", "parts",
        "{ echo '.globl _start; _start: ret'; for f in whole whole.cold "
        "other.constprop.0 _ZN1a17h0123456789abE; do echo \".type "
        "$f,@function; $f: call _start; "
        "ret; "
        ".size $f,.-$f\"; done; } > $OUT.s && cc -nostdlib -static -no-pie "
        "$OUT.s -o $OUT"));
    CHECK_EQ(facts.functions, 4); /* with _start */
    CHECK_EQ(facts.frames.functions[CHECK_BARE], 3);
    CHECK_EQ(facts.frames.functions[CHECK_FRAMED], 0);
    for (size_t i = 0; i < facts.unit_count; i++)
        CHECK(facts.units[i].language != CHECK_GO &&
              facts.units[i].language != CHECK_RUST);
    end();
}

/* As boot code has it: page tables behind code, then entries of interrupts. */
TEST(tables_are_no_code) /* catches: advice to give page tables frames */
{
    begin(input_build(
        "cc", "boot",
        "printf '%s\\n' '.globl _start; _start: call entry; ret; .balign 4096' "
        "'tables: .set n, 0; .rept 512; .quad n << 21 | 0x83; .set n, n + 1; "
        ".endr' '.quad tables + 3; .skip 4088' 'entry: push %rax; call other; "
        "pop %rax; iretq' 'other: push %rbx; call _start; pop %rbx; ret' "
        ">$OUT.s && cc -g -nostdlib -static -no-pie $OUT.s -o $OUT"));
    CHECK(facts.code_bytes < 4096 + 64); /* up to the tables, and behind */
    CHECK_EQ(facts.functions, 3);
    CHECK_EQ(facts.frames.functions[CHECK_FRAMED], 1); /* entry */
    CHECK_EQ(facts.frames.functions[CHECK_BARE], 2);
    CHECK_STR(facts.bare[CHECK_ASSEMBLER][0].name, "_start");
    CHECK_STR(facts.bare[CHECK_ASSEMBLER][1].name, "other");
    CHECK(facts.bare[CHECK_ASSEMBLER][2].name == NULL);
    end();
}

TEST(percents_are_never_rounded_to_all_or_nothing)
{
    char p[TEXT_PERCENT];

    CHECK_STR(text_percent(p, 0, 1000), "0 %");
    CHECK_STR(text_percent(p, 1, 1000), "<1 %");
    CHECK_STR(text_percent(p, 999, 1000), ">99 %");
    CHECK_STR(text_percent(p, 1000, 1000), "100 %");
    CHECK_STR(text_percent(p, 994, 1000), "99 %");
    CHECK_STR(text_percent(p, 1, 0), "0 %");
}

TEST(languages_are_told_by_dwarf_and_by_names) /* catches: wrong remedies */
{
    has_language(input_build("g++", "cxx",
                             "g++ -g -shared -fPIC -nostdlib $IN/throws.cpp "
                             "-o $OUT"),
                 CHECK_CXX, true);
    has_language(input_build("g++", "cxx",
                             "g++ -shared -fPIC -nostdlib $IN/throws.cpp -o "
                             "$OUT"),
                 CHECK_CXX, false);
}

TEST(rust_is_told_by_dwarf_and_by_names) /* catches: wrong remedies */
{
    has_language(input_build("rustc", "rust",
                             "rustc -g -C opt-level=1 $IN/names.rs -o $OUT"),
                 CHECK_RUST, true);
    has_language(input_build("rustc", "bare",
                             "rustc -C opt-level=1 -C strip=debuginfo "
                             "$IN/names.rs -o $OUT"),
                 CHECK_RUST, false);
}

TEST(pascal_is_told_by_dwarf_and_by_names) /* catches: wrong remedies */
{
    const char *path = input_build("fpc", "pas",
                                   "fpc -gw2 -FU. -FE. $IN/nested.pas -o$OUT "
                                   ">/dev/null");

    has_language(path, CHECK_PASCAL, true);
    has_language(path, CHECK_PASCAL, false); /* the units of the system */
}

/* Its helpers have names as in C: fpc_ansistr_concat_multi. */
TEST(the_runtime_of_pascal_is_pascal) /* catches: gcc's options for it */
{
    uint64_t bytes[CHECK_LANGUAGES] = {0};

    begin(input_build("fpc", "run",
                      "fpc -gw2 -FU. -FE. $IN/nested.pas -o$OUT >/dev/null"));
    for (size_t i = 0; i < facts.unit_count; i++)
        bytes[facts.units[i].language] += facts.units[i].code_bytes;
    /* C's may be what the linker adds: crt1.o */
    CHECK(bytes[CHECK_C] < facts.own_bytes / 100);
    CHECK(bytes[CHECK_PASCAL] > facts.own_bytes / 100 * 98);
    CHECK(facts.runtime_bytes > facts.own_bytes / 2);
    end();
}

/* objdump's lines "PLACE: START END UNWIND_DATA", hexadecimal */
#define PDATA                                                                  \
    "objdump -p %s | sed -n '/BeginAddress/,/^$/s/^ [0-9a-f]*:\t"              \
    "\\([0-9a-f]*\\) \\([0-9a-f]*\\) .*/\\1 \\2/p' | "                         \
    "while read a b; do echo $((0x$b - 0x$a)); done | "                        \
    "awk '{n += $1} END {print n + 0}'"

TEST(pe_images_have_pdata) /* catches: RVA without the base */
{
    const char *path;

    input_need("clang");
    path = input_build(
        "lld-link", "efi",
        "clang -target x86_64-unknown-windows -ffreestanding -gdwarf -O2 "
        "-funwind-tables -c $IN/efi.c -o $OUT.obj && lld-link "
        "/subsystem:efi_application "
        "/entry:efi_main /nodefaultlib /ignore:longsections /debug:dwarf "
        "/out:$OUT $OUT.obj");
    begin(path);
    CHECK(facts.pe && facts.moves && facts.agent.linked);
    CHECK_STR(facts.agent.version, "tprof 0.1.0");
    CHECK_EQ(facts.agent.wire, 0x30a);
    CHECK_EQ(facts.functions, 4);
    CHECK(facts.table[CHECK_PDATA] && facts.table_bytes[CHECK_PDATA] > 100);
    CHECK_EQ(facts.table_bytes[CHECK_PDATA], number(PDATA, path));
    CHECK_EQ(
        facts.code_bytes,
        number("objdump -h %s | awk '/ \\.text/ {print \"0x\" $3}'", path));
    end();
}

/* Give all symbols of (elf) the name of the one whose name is longest. */
static void share_a_name(uint8_t *elf)
{
    const Elf64_Ehdr *eh = (const void *)elf;
    const Elf64_Shdr *sh = (const void *)(elf + eh->e_shoff);
    size_t longest = 0;
    Elf64_Word name = 0;

    while (sh->sh_type != SHT_SYMTAB)
        sh++;
    for (uint64_t i = 0; i < sh->sh_size / sizeof(Elf64_Sym); i++) {
        const Elf64_Sym *sym = (const void *)(elf + sh->sh_offset);
        const Elf64_Shdr *strings = (const void *)(elf + eh->e_shoff);
        const char *text =
            (const char *)elf + strings[sh->sh_link].sh_offset + sym[i].st_name;

        if (strlen(text) > longest) {
            longest = strlen(text);
            name = sym[i].st_name;
        }
    }
    CHECK(longest >= 1 << 20);
    for (uint64_t i = 0; i < sh->sh_size / sizeof(Elf64_Sym); i++)
        ((Elf64_Sym *)(void *)(elf + sh->sh_offset))[i].st_name = name;
}

TEST(a_long_name_for_all_costs_little) /* catches: hours for a small file */
{
    const struct rlimit limit = {10, 10};
    const char *path = input_build(
        "cc", "many",
        "{ echo '.globl _start; _start:'; "
        "awk 'BEGIN {for (i = 0; i < 20000; i++) print \"f\" i \": nop\"; "
        "s = \"_Z\"; for (i = 0; i < 20; i++) s = s s; print s \": nop\"}'; "
        "} > $OUT.s && cc -nostdlib -static -no-pie $OUT.s -o $OUT");
    size_t size;
    uint8_t *elf = input_read(path, &size);

    share_a_name(elf);
    path = input_write("shared", elf, size);
    CHECK_EQ(setrlimit(RLIMIT_CPU, &limit), 0); /* it takes 20 ms */
    begin(path);
    CHECK_EQ(facts.frames.functions[CHECK_UNREAD], facts.functions);
    CHECK(facts.functions > 20000);
    end();
    free(elf);
}

TEST(a_long_name_for_all_units_costs_little) /* catches: the same in DWARF */
{
    const struct rlimit limit = {10, 10};
    const char *path = input_build(
        "cc", "units",
        "{ echo '.globl _start; _start: .fill 100, 1, 0xc3'; "
        "echo '.section .debug_info; .rept 200000; .long 28; .value 4; .long 0;"
        " .byte 8, 1; .long 32001, 0; .quad _start; .long 100; .endr'; "
        "echo '.section .debug_abbrev; .byte 1, 0x11, 0, 3, 14, 0x25, 14, 0x11,"
        " 1, 0x12, 6, 0, 0, 0'; echo '.section .debug_str; .fill 16000, 2, "
        "0x202d; .byte 0; .fill 4000000, 1, 0x61; .byte 0'; } > $OUT.s && "
        "cc -nostdlib -static -no-pie $OUT.s -o $OUT");
    FILE *out = fopen("/dev/null", "w");

    CHECK(out != NULL);
    CHECK_EQ(setrlimit(RLIMIT_CPU, &limit), 0); /* it takes 300 ms */
    begin(path);
    CHECK(facts.has_dwarf && !facts.bad_dwarf);
    CHECK_EQ(facts.unit_count, 200000);
    check_report(&(struct check_out){out, 80}, path, &facts, false);
    fclose(out);
    end();
}

TEST(functions_in_functions_cost_little) /* catches: each read to its end */
{
    const struct rlimit limit = {10, 10};
    const char *path = input_build(
        "cc", "nest",
        "{ echo '.globl _start; _start:'; awk 'BEGIN {for (i = 0; i < 8000; "
        "i++) print \".type f\" i \",@function; f\" i \": nop; .size f\" i "
        "\",end-f\" i}'; echo '.fill 400000, 1, 0x90; end: ret'; "
        "echo '.section .none, \"ax\", @nobits; .skip 0x200000000'; } > $OUT.s "
        "&& "
        "cc -nostdlib -static -no-pie $OUT.s -o $OUT");

    CHECK_EQ(setrlimit(RLIMIT_CPU, &limit), 0); /* it takes 40 ms */
    begin(path);
    CHECK(facts.functions > 8000);
    CHECK(facts.frames.functions[CHECK_UNREAD] > 7000);
    end();
}

/* Catches: looking for tables on 2^48 pages that no file holds; found by
 * fuzzing, in a file of 3 KiB */
TEST(code_that_is_not_held_costs_nothing)
{
    const struct rlimit limit = {10, 10};
    const char *path = input_build(
        "cc", "empty",
        "{ echo '.globl _start; _start: ret'; "
        "echo '.section .none, \"ax\", @nobits; .skip 4096'; } > $OUT.s && "
        "cc -nostdlib -static -no-pie $OUT.s -o $OUT");
    size_t size;
    uint8_t *elf = input_read(path, &size);
    Elf64_Ehdr *eh = (void *)elf;
    Elf64_Shdr *sh = (void *)(elf + eh->e_shoff);

    for (unsigned i = 0; i < eh->e_phnum; i++) /* debug information alone */
        memset(elf + eh->e_phoff + i * sizeof(Elf64_Phdr), 0, 4);
    while (sh->sh_type != SHT_NOBITS)
        sh++;
    sh->sh_size = 1ull << 60;
    path = input_write("endless", elf, size);
    CHECK_EQ(setrlimit(RLIMIT_CPU, &limit), 0);
    begin(path);
    CHECK(facts.code_bytes >= 1ull << 60);
    end();
    free(elf);
}

TEST(every_allocation_may_fail) /* catches: a crash, a leak */
{
    const char *path = build("-g", "", "-DAGENT");
    struct err e = {""};

    CHECK_EQ(image_open(&img, path, &e), 0);
    for (unsigned n = 1;; n++) {
        alloc_fail_at(n);
        int status = check_gather(&facts, img);
        if (!alloc_failed()) {
            CHECK_EQ(status, 0);
            break;
        }
        if (status != 0)
            CHECK(facts.units == NULL);
        check_facts_fini(&facts);
    }
    end();
}
