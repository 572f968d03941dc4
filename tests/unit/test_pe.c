/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image on PE images, as lld-link makes them and as objcopy does, against what
 * llvm-nm, llvm-symbolizer, readelf and nm say.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "image/code/frame_place.h"
#include "image/file/image.h"
#include "image/names/symbolize.h"
#include "input.h"
#include "util/err.h"

#define CLANG                                                                  \
    "clang -target x86_64-unknown-windows -ffreestanding -gdwarf %s -c "       \
    "$IN/efi.c -o $OUT.obj && "
#define LINK                                                                   \
    "lld-link /subsystem:efi_application /entry:efi_main /nodefaultlib "       \
    "/ignore:longsections %s /out:$OUT $OUT.obj"

/* What clang and lld-link make with these options. */
static const char *build(const char *compile, const char *link)
{
    char command[512];

    input_need("clang");
    (void)snprintf(command, sizeof command, CLANG LINK, compile, link);
    return input_build("lld-link", "efi", command);
}

static const char *usual(void)
{
    return build("-O2", "/debug:dwarf");
}

/* The same by way of ELF, which is (*elf), with or without its DWARF. */
static const char *build_by_objcopy(const char **elf, const char *sections)
{
    char command[512];

    *elf = input_build(
        "gcc", "so",
        "gcc -O2 -g -fpic -fvisibility=hidden -ffreestanding "
        "-shared -nostdlib -Wl,-Bsymbolic,-eefi_main,--build-id=sha1 "
        "$IN/efi.c -o $OUT");
    (void)snprintf(command, sizeof command,
                   "objcopy -j .text -j .rodata -j .bss %s "
                   "--target efi-app-x86_64 %s $OUT",
                   sections, *elf);
    return input_build("objcopy", "efi", command);
}

static struct image *open_or_fail(const char *path)
{
    struct image *img;
    struct err e = {""};

    if (image_open(&img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    CHECK(image_is_pe(img));
    return img;
}

/* Opening (size) bytes must fail, and say (why). */
static void refuses(const uint8_t *data, size_t size, const char *why)
{
    struct image *img;
    struct err e = {""};

    CHECK_EQ(image_open(&img, input_write("bad", data, size), &e), -1);
    CHECK(img == NULL && e.text[0] != '\0');
    if (strstr(e.text, why) == NULL)
        check_failed(__FILE__, __LINE__, "\"%s\" is not in \"%s\"", why,
                     e.text);
}

TEST(functions_are_those_of_llvm_nm) /* catches: base, names of 8 and more */
{
    const char *path = usual();
    struct image *img = open_or_fail(path);
    char *list = input_run("llvm-nm -n %s | grep -i ' t '", path);
    size_t i = 0;

    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        const struct image_function *f = image_function_at(img, i++);
        char *rest;
        uint64_t start = strtoull(line, &rest, 16);

        CHECK(f != NULL && !f->sized);
        CHECK_EQ(f->start, start);
        CHECK_STR(f->name, rest + 3);
        CHECK(image_find_function(img, start + f->size - 1) == f);
        CHECK(image_function_at(img, i) == NULL ||
              image_function_at(img, i)->start == start + f->size);
    }
    CHECK(i == 4 && image_function_at(img, i) == NULL);
    CHECK_EQ(image_flaws(img), IMAGE_NO_BUILD_ID);
    image_close(img);
    free(list);
}

/* Compare the chain of (at) with the lines of llvm-symbolizer's answer. */
static void same_chain(struct symbolizer *sym, uint64_t at, char **rest)
{
    for (const struct symbol *s = symbolize(sym, at); s != NULL;
         s = s->inlined_into) {
        char *function = strtok_r(NULL, "\n", rest);
        char *place = strtok_r(NULL, "\n", rest);
        char ours[512];

        (void)snprintf(ours, sizeof ours, "%s:%" PRIu32,
                       s->file != NULL ? s->file : "??", s->line);
        CHECK(function != NULL && place != NULL);
        place[strcspn(place, " ")] = '\0'; /* " (discriminator N)" */
        CHECK_STR(s->function, function);
        CHECK_STR(ours, place);
    }
}

/*
 * At every instruction, as objdump finds them, (path) must be what the tool
 * says of (truth), which has the same code. Returns how many are inlined.
 */
static unsigned same_as_llvm_symbolizer(const char *path, const char *truth)
{
    struct image *img = open_or_fail(path);
    struct symbolizer *sym = symbolizer_new(img, 0);
    char *said = input_run("objdump -d --no-show-raw-insn %s | "
                           "sed -n 's/^ *\\([0-9a-f]*\\):.*/0x\\1/p' | "
                           "llvm-symbolizer --output-style=GNU -a -i -f -e %s",
                           path, truth);
    unsigned n = 0, inlined = 0;
    char *rest = NULL;

    CHECK(sym != NULL);
    for (char *line = strtok_r(said, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        uint64_t at = strtoull(line, NULL, 16);

        same_chain(sym, at, &rest);
        inlined += symbolize(sym, at)->kind == SYMBOL_INLINED;
        n++;
    }
    CHECK(n > 30);
    CHECK_EQ(image_flaws(img) & IMAGE_BAD_DEBUG, 0);
    symbolizer_free(sym);
    image_close(img);
    free(said);
    return inlined;
}

TEST(lines_and_inlines_are_those_of_llvm_symbolizer) /* catches: padding */
{
    const char *path;

    input_need("llvm-symbolizer");
    path = build("-O2 -gdwarf-4", "/debug:dwarf");
    CHECK(same_as_llvm_symbolizer(path, path) > 5);
    path = build("-O2 -ffunction-sections",
                 "/debug:dwarf /base:0x10000000 /opt:ref");
    CHECK(same_as_llvm_symbolizer(path, path) > 5);
}

/* That clang writes an address for an offset, and then finds no files itself.
 */
TEST(files_of_clang_14_are_found_in_dwarf_5) /* catches: "??" */
{
    const char *truth = build("-O2 -gdwarf-4", "/debug:dwarf");
    const char *kept = input_write("truth", (const uint8_t *)"", 0);

    free(input_run("cp %s %s", truth, kept));
    input_need("llvm-symbolizer");
    CHECK(same_as_llvm_symbolizer(build("-O2 -gdwarf-5", "/debug:dwarf"),
                                  kept) > 5);
}

TEST(what_objcopy_makes_is_as_its_elf_says) /* catches: note, types, base 0 */
{
    const char *elf,
        *path = build_by_objcopy(&elf, "-j .note.gnu.build-id -j '.debug_*'");
    struct image *img = open_or_fail(path);
    struct symbolizer *sym = symbolizer_new(img, 0);
    char *said = input_run("readelf -n %s | sed -n 's/.*Build ID: //p'", elf);
    char hex[64] = "";
    const uint8_t *id;
    const struct symbol *s;
    uint64_t at;
    size_t len;

    id = image_build_id(img, &len);
    CHECK_EQ(len, 20);
    for (size_t i = 0; i < len; i++)
        (void)sprintf(hex + 2 * i, "%02x", id[i]);
    said[strcspn(said, "\n")] = '\0';
    CHECK_STR(hex, said);
    free(said);
    said = input_run("nm %s | sed -n 's/ t eight_by$//p'", elf);
    at = strtoull(said, NULL, 16);
    CHECK(sym != NULL && at != 0);
    s = symbolize(sym, at);
    CHECK_STR(s->function, "eight_by");
    CHECK_EQ(s->start, at);
    CHECK(s->kind == SYMBOL_DWARF && strstr(s->file, "efi.c") != NULL);
    CHECK_EQ(image_flaws(img), 0);
    symbolizer_free(sym);
    image_close(img);
    free(said);
}

TEST(the_guid_is_the_build_id) /* catches: its place; zeros taken for one */
{
    const char *path = build("-O2", "/debug:dwarf /lldmingw");
    struct image *img = open_or_fail(path);
    char *said = input_run("llvm-readobj --coff-debug-directory %s | "
                           "sed -n 's/.*PDBGUID: (\\(.*\\))/\\1/p'",
                           path);
    char hex[64] = "";
    size_t len, size;
    const uint8_t *id = image_build_id(img, &len);
    uint8_t *pe, *found;
    uint32_t at;

    CHECK_EQ(len, 16);
    for (size_t i = 0; i < len; i++)
        (void)sprintf(hex + 3 * i, "%02X ", id[i]);
    CHECK_EQ(strncmp(hex, said, 47), 0);
    free(said);
    pe = input_read(path, &size);
    found = memmem(pe, size, id, len);
    CHECK(found != NULL);
    memset(found, 0, len);
    image_close(img);
    img = open_or_fail(input_write("zeros", pe, size));
    CHECK(image_build_id(img, &len) == NULL && len == 0);
    CHECK_EQ(image_flaws(img), IMAGE_NO_BUILD_ID);
    image_close(img);
    free(pe);
    /* where the directory is not what its section begins with; without
     * -lldmingw the record that it names is empty */
    pe = input_read(usual(), &size);
    found = memmem(pe, size, "\2\0\0\0\x19\0\0", 8);
    CHECK(found != NULL);
    memcpy(&at, found + 12, sizeof at);
    CHECK(at < size - 20);
    found = pe + at;
    memcpy(found, (const uint8_t[]){0x52, 0x53, 0x44, 0x53}, 4); /* RSDS */
    memset(found + 4, 0xab, 16);
    img = open_or_fail(input_write("ids", pe, size));
    id = image_build_id(img, &len);
    CHECK(id != NULL && len == 16);
    CHECK_MEM(id, found + 4, 16);
    image_close(img);
    free(pe);
}

/* The id of objcopy's note if this is said to be its length; NULL: none. */
static size_t id_length(uint8_t *pe, size_t size, uint8_t *note, uint32_t said)
{
    struct image *img;
    size_t len;

    memcpy(note + 4, &said, sizeof said);
    img = open_or_fail(input_write("note", pe, size));
    bool there = image_build_id(img, &len) != NULL;

    CHECK_EQ(there, len != 0);
    image_close(img);
    return len;
}

TEST(a_note_that_is_too_long_is_none) /* catches: what lies behind it read */
{
    const char *elf, *path = build_by_objcopy(&elf, "-j .note.gnu.build-id");
    size_t size;
    uint8_t *pe = input_read(path, &size);
    uint8_t *note = memmem(pe, size, "\3\0\0\0GNU", 8);

    CHECK(note != NULL);
    note -= 8;
    CHECK_EQ(id_length(pe, size, note, 20), 20);
    CHECK_EQ(id_length(pe, size, note, 21), 0);
    CHECK_EQ(id_length(pe, size, note, UINT32_MAX), 0);
    CHECK_EQ(id_length(pe, size, note, 0), 0);
    free(pe);
}

/* How many functions the image at (data) has. */
static unsigned functions_of(const uint8_t *data, size_t size)
{
    struct image *img = open_or_fail(input_write("said", data, size));
    unsigned n = 0;

    while (image_function_at(img, n) != NULL)
        n++;
    image_close(img);
    return n;
}

TEST(headers_may_be_of_other_linkers) /* catches: the last section, sizes */
{
    size_t size;
    uint8_t *pe = input_read(usual(), &size);
    uint8_t *coff = pe + pe[0x3c] + 4;
    uint8_t *text = coff + 20 + coff[16]; /* the first section */
    uint32_t symbols, count;
    unsigned aux = 0, sections = coff[2];

    CHECK_EQ(functions_of(pe, size), 4);
    CHECK(memcmp(text, ".text", 6) == 0 && coff[3] == 0);
    coff[2] = 1; /* code is the last section */
    CHECK_EQ(functions_of(pe, size), 4);
    coff[2] = (uint8_t)sections;
    memset(text + 8, 0, 4); /* its size in memory is that in the file */
    CHECK_EQ(functions_of(pe, size), 4);
    /* an entry that adds to the one before is no symbol */
    memcpy(&symbols, coff + 8, 4);
    memcpy(&count, coff + 12, 4);
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint8_t *s = pe + symbols + (size_t)18 * i;

        if (s[18 + 14] == 0x20 && s[14] == 0x20 && s[17] == 0) {
            s[17] = 1;
            aux++;
            i++;
        }
    }
    CHECK(aux > 0);
    CHECK_EQ(functions_of(pe, size), 4 - aux);
    /* names that were cut to fit their fields are no others' beginnings */
    for (unsigned i = 0; i < sections; i++)
        if (text[40 * i] == '/')
            memcpy(text + (size_t)40 * i, ".debug_i", 8);
    struct image *img = open_or_fail(input_write("cut", pe, size));

    CHECK(image_section_part(img, ".debug_i").size != 0);
    CHECK(image_section_part(img, ".debug_info").size == 0);
    image_close(img);
    free(pe);
}

TEST(what_is_not_loaded_is_not_found) /* catches: debug sections as memory */
{
    struct image *img = open_or_fail(usual());
    struct image_part debug = image_section_part(img, ".debug_info");
    size_t len;

    CHECK(debug.size != 0 && image_moves(img));
    CHECK(image_loaded(img, debug.address, &len) == NULL);
    image_close(img);
    img = open_or_fail(build("-O2", "/debug:dwarf /fixed"));
    CHECK(!image_moves(img));
    image_close(img);
}

TEST(text_and_slide_are_by_virtual_address) /* catches: RVA without its base */
{
    const char *path = usual();
    struct image *img = open_or_fail(path);
    char *said = input_run("llvm-nm %s | sed -n 's/ R tprof_anchor//p'", path);
    const char *raw = input_build("objcopy", "raw", "true");
    uint64_t anchor = strtoull(said, NULL, 16), slide;
    const struct image_text *t = image_text_at(img, 0);
    uint8_t *text;
    const uint8_t *string;
    size_t size, len;

    free(input_run("objcopy -O binary -j .text %s %s", path, raw));
    text = input_read(raw, &size);
    CHECK(t != NULL && image_text_at(img, 1) == NULL);
    CHECK_EQ(t->address, 0x140001000);
    CHECK_EQ(t->bytes_len, size);
    CHECK_EQ(memcmp(t->bytes, text, size), 0);
    CHECK(image_code(img, t->address + size, &len) == NULL);
    CHECK_EQ(image_slide(img, anchor + 0x5000, &slide, NULL), 0);
    CHECK_EQ(slide, 0x5000);
    string = image_loaded(img, anchor, &len);
    CHECK(string != NULL && len >= 12);
    CHECK_STR((const char *)string, "tprof 0.1.0");
    image_close(img);
    free(text);
    free(said);
}

/* Is there any (place) in the function at (start)? */
static bool has_place(const struct image *img, struct frame_places *o,
                      uint64_t start, enum code_place place)
{
    const struct image_function *f = image_find_function(img, start);

    for (uint64_t at = start; at < start + f->size; at++) {
        if (frame_place_at(o, at) == place)
            return true;
    }
    return false;
}

TEST(frames_are_told_by_the_code) /* catches: classes of nothing */
{
    struct image *img =
        open_or_fail(build("-O2 -fno-omit-frame-pointer", "/debug:dwarf"));
    struct image *bare =
        open_or_fail(build("-O2 -fomit-frame-pointer", "/debug:dwarf"));
    struct frame_places *o = frame_places_new(img, 0),
                        *b = frame_places_new(bare, 0);
    uint64_t at;

    CHECK(o != NULL && b != NULL && image_find_symbol(img, "efi_main", &at));
    CHECK_EQ(frame_place_at(o, at), CODE_PROLOGUE);
    CHECK(has_place(img, o, at, CODE_BODY));
    CHECK(image_find_symbol(bare, "efi_main", &at));
    CHECK_EQ(frame_place_at(b, at), CODE_NO_FRAME);
    CHECK(!has_place(bare, b, at, CODE_BODY));
    frame_places_free(o);
    frame_places_free(b);
    image_close(img);
    image_close(bare);
}

TEST(what_is_missing_is_said_with_the_remedy) /* catches: advice for ELF */
{
    const char *elf;
    struct image *img = open_or_fail(build("-O2", ""));
    struct err e = {""};
    uint64_t slide;

    CHECK_EQ(image_flaws(img),
             IMAGE_NO_BUILD_ID | IMAGE_NO_SYMBOLS_PE | IMAGE_NO_DEBUG_PE);
    CHECK_EQ(image_slide(img, 0x1000, &slide, &e), -1);
    CHECK(slide == 0 && strstr(e.text, "a PE image without symbols") != NULL);
    CHECK(strstr(image_flaw_text(IMAGE_NO_SYMBOLS_PE), "/debug:dwarf") != NULL);
    CHECK(strstr(image_flaw_text(IMAGE_NO_DEBUG_PE), "objcopy") != NULL);
    image_close(img);
    img = open_or_fail(build_by_objcopy(&elf, ""));
    CHECK_EQ(image_flaws(img), IMAGE_NO_BUILD_ID | IMAGE_NO_DEBUG_PE);
    image_close(img);
}

TEST(other_images_are_refused_with_the_reason) /* catches: a vague message */
{
    size_t size;
    uint8_t *pe = input_read(usual(), &size);
    uint8_t *coff = pe + pe[0x3c] + 4, *optional = coff + 20;

    refuses((const uint8_t *)"MZ", 2, "truncated");
    coff[-4] = 'N';
    refuses(pe, size, "is none");
    coff[-4] = 'P';
    coff[1] = 0xaa; /* ARM64 */
    refuses(pe, size, "another machine");
    coff[1] = 0x86;
    optional[1] = 1; /* PE32 */
    refuses(pe, size, "PE32+");
    optional[1] = 2;
    optional[31] = 0xff; /* ImageBase */
    optional[30] = optional[29] = optional[28] = 0xff;
    refuses(pe, size, "base");
    free(pe);
}

TEST(a_truncated_image_loses_no_more_than_its_end) /* catches: a crash */
{
    const char *path = build("-O2", "/debug:dwarf /lldmingw");
    size_t size;
    uint8_t *pe = input_read(path, &size);

    for (size_t len = 0; len < size; len++) {
        struct image *img;
        struct err e = {""};
        size_t n;

        if (image_open(&img, input_write("cut", pe, len), &e) == 0) {
            (void)image_build_id(img, &n);
            (void)image_section(img, ".debug_line", &n);
        } else if (strstr(e.text, "truncated") == NULL &&
                   strstr(e.text, "PE image") == NULL) {
            check_failed(__FILE__, __LINE__, "%zu bytes: %s", len, e.text);
        }
        image_close(img);
    }
    free(pe);
}
