/* SPDX-License-Identifier: BSD-2-Clause */
/* image: identity, code and functions of ELF files, good and bad ones. */
#include "image/file/image.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "input.h"
#include "util/err.h"

#define LINK "-nostdlib -static -no-pie -Wl,--build-id=sha1"

static const char *build_c(const char *flags)
{
    char command[512];

    (void)snprintf(command, sizeof command,
                   "cc -O2 " LINK " $IN/inline.c -o $OUT %s", flags);
    return input_build("cc", "image", command);
}

static struct image *open_or_fail(const char *path)
{
    struct image *img;
    struct err e = {""};

    if (image_open(&img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
    return img;
}

/* Opening (size) bytes must fail, and say (why). */
static void refuses(const uint8_t *data, size_t size, const char *why)
{
    struct image *img;
    struct err e = {""};

    CHECK_EQ(image_open(&img, input_write("bad", data, size), &e), -1);
    CHECK(img == NULL);
    if (strstr(e.text, why) == NULL)
        check_failed(__FILE__, __LINE__, "\"%s\" is not in \"%s\"", why,
                     e.text);
}

TEST(build_id_is_the_one_that_readelf_prints) /* catches: another note */
{
    const char *path = build_c("-g");
    struct image *img = open_or_fail(path);
    char *said = input_run("readelf -n %s | sed -n 's/.*Build ID: //p'", path);
    char hex[128] = "";
    size_t len;
    const uint8_t *id = image_build_id(img, &len);

    CHECK_EQ(len, 20);
    for (size_t i = 0; i < len; i++)
        (void)sprintf(hex + 2 * i, "%02x", id[i]);
    said[strcspn(said, "\n")] = '\0';
    CHECK_STR(hex, said);
    CHECK_EQ(image_flaws(img), 0);
    image_close(img);
    free(said);
}

/* Where the only build-id note of (bytes) begins, with its 20 bytes of id. */
static uint8_t *note_in(uint8_t *bytes, size_t size)
{
    static const uint8_t head[16] = {4, 0, 0, 0, 20,  0,   0,   0,
                                     3, 0, 0, 0, 'G', 'N', 'U', 0};
    uint8_t *note = memmem(bytes, size, head, sizeof head);

    CHECK(note != NULL);
    return note;
}

static size_t build_id_len(const uint8_t *file, size_t size)
{
    struct image *img = open_or_fail(input_write("patched", file, size));
    size_t len = 99;

    (void)image_build_id(img, &len);
    image_close(img);
    return len;
}

TEST(build_id_is_found_without_sections) /* catches: sections taken alone */
{
    size_t size;
    uint8_t *file = input_read(build_c("-s"), &size);
    Elf64_Ehdr *header = (void *)file;

    header->e_shoff = header->e_shnum = header->e_shstrndx = 0;
    CHECK_EQ(build_id_len(file, size), 20);
    free(file);
}

/* catches: an id that reaches behind its note's section; another note's */
TEST(build_id_of_a_lying_note_is_none)
{
    static const struct {
        size_t at;
        uint8_t byte;
    } lies[] = {{0, 5},   {4, 0}, {4, 21},  {5, 1},
                {7, 255}, {8, 4}, {3, 255}, {12, 'X'}};

    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        size_t size;
        uint8_t *file = input_read(build_c(""), &size);

        note_in(file, size)[lies[i].at] = lies[i].byte;
        CHECK_EQ(build_id_len(file, size), 0);
        free(file);
    }
}

TEST(flaws_name_what_is_missing) /* catches: a report that does not say so */
{
    struct image *img = open_or_fail(build_c("-g -Wl,--build-id=none"));

    CHECK_EQ(image_flaws(img), IMAGE_NO_BUILD_ID);
    image_close(img);
    img = open_or_fail(build_c(""));
    CHECK_EQ(image_flaws(img), IMAGE_NO_DEBUG);
    image_close(img);
    img = open_or_fail(build_c("-s"));
    CHECK_EQ(image_flaws(img), IMAGE_NO_DEBUG | IMAGE_NO_SYMBOLS);
    image_close(img);
    for (unsigned flaw = 1; flaw <= IMAGE_NO_DEBUG_FILE; flaw <<= 1)
        CHECK(image_flaw_text((enum image_flaw)flaw)[0] != '\0');
}

/* The header of the section (name) of the file (elf). */
static Elf64_Shdr *section_of(uint8_t *elf, const char *name)
{
    Elf64_Ehdr *eh = (void *)elf;
    Elf64_Shdr *sh = (void *)(elf + eh->e_shoff);
    const char *names = (char *)elf + sh[eh->e_shstrndx].sh_offset;

    for (unsigned i = 0; i < eh->e_shnum; i++)
        if (strcmp(names + sh[i].sh_name, name) == 0)
            return &sh[i];
    check_failed(__FILE__, __LINE__, "no %s", name);
    return NULL;
}

/* The flaws of a compressed image that says (method) and (size). */
static unsigned flaws_of_packed(uint32_t method, uint64_t size)
{
    size_t length;
    uint8_t *elf = input_read(
        build_c("-g && objcopy --compress-debug-sections=zstd $OUT"), &length);
    Elf64_Chdr *ch = (void *)(elf + section_of(elf, ".debug_info")->sh_offset);
    struct image *img;
    unsigned flaws;

    CHECK_EQ(ch->ch_type, 2);
    if (method != 0)
        ch->ch_type = method;
    if (size != 0)
        ch->ch_size = size;
    img = open_or_fail(input_write("packed", elf, length));
    flaws = image_flaws(img);
    image_close(img);
    free(elf);
    return flaws;
}

/* catches: "compile with -g" for DWARF that is there; memory without end */
TEST(dwarf_that_cannot_be_uncompressed_is_told)
{
    CHECK_EQ(flaws_of_packed(0, 0), 0);
    CHECK_EQ(flaws_of_packed(3, 0), IMAGE_PACKED_DEBUG);
    CHECK_EQ(flaws_of_packed(1, 0), IMAGE_PACKED_DEBUG);
    CHECK_EQ(flaws_of_packed(0, 1), IMAGE_PACKED_DEBUG);
    CHECK_EQ(flaws_of_packed(0, UINT64_MAX), IMAGE_PACKED_DEBUG);
    CHECK_EQ(flaws_of_packed(0, (uint64_t)1 << 40), IMAGE_PACKED_DEBUG);
}

TEST(names_that_are_compressed_are_refused) /* catches: a bomb in libelf */
{
    size_t size;
    uint8_t *elf = input_read(build_c("-g"), &size);

    section_of(elf, ".strtab")->sh_flags |= SHF_COMPRESSED;
    refuses(elf, size, "--decompress-debug-sections");
    free(elf);
}

/* Bit by bit, as in the definition: another way than the one under test. */
static uint32_t slow_crc32c(const uint8_t *p, size_t n)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0x82f63b78u & (0u - (crc & 1)));
    }
    return ~crc;
}

TEST(text_crc_covers_the_bytes_of_the_file) /* catches: offsets, limits */
{
    const char *path = build_c("-g");
    struct image *img = open_or_fail(path);
    const char *raw = input_build("objcopy", "raw", "true");
    size_t size;
    uint8_t *text;
    uint64_t start;
    uint32_t crc;

    free(input_run("objcopy -O binary -j .text %s %s", path, raw));
    text = input_read(raw, &size);
    CHECK(image_find_symbol(img, "complain", &start));
    CHECK_EQ(image_text_crc(img, start, size, &crc), 0);
    CHECK_EQ(crc, slow_crc32c(text, size));
    CHECK_EQ(image_text_crc(img, start + 9, size - 9, &crc), 0);
    CHECK_EQ(crc, slow_crc32c(text + 9, size - 9));
    CHECK_EQ(image_text_crc(img, start, 5, &crc), 0);
    CHECK_EQ(crc, slow_crc32c(text, 5));
    CHECK_EQ(image_text_crc(img, start, 1 << 20, &crc), -1);
    CHECK_EQ(image_text_crc(img, start - (1 << 20), 5, &crc), -1);
    image_close(img);
    free(text);
}

TEST(code_ends_where_the_segment_does) /* catches: reads past the file */
{
    struct image *img = open_or_fail(build_c("-g"));
    const struct image_text *t = image_text_at(img, 0);
    size_t len;

    CHECK(t != NULL && image_text_at(img, 1) == NULL);
    CHECK(image_code(img, t->address, &len) == t->bytes);
    CHECK_EQ(len, t->bytes_len);
    CHECK(image_code(img, t->address + t->bytes_len - 1, &len) != NULL);
    CHECK_EQ(len, 1);
    CHECK(image_code(img, t->address + t->bytes_len, &len) == NULL);
    CHECK(image_code(img, t->address - 1, &len) == NULL);
    CHECK(image_code(img, UINT64_MAX, &len) == NULL);
    CHECK_EQ(len, 0);
    image_close(img);
}

TEST(functions_are_those_of_nm) /* catches: a lost function, a wrong end */
{
    const char *path = build_c("-g");
    struct image *img = open_or_fail(path);
    char *list = input_run("nm -n -S %s | grep -i ' t '", path);
    size_t i = 0;

    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        const struct image_function *f = image_function_at(img, i++);
        char *rest;
        uint64_t start = strtoull(line, &rest, 16);

        CHECK(f != NULL);
        CHECK_EQ(f->start, start);
        CHECK_EQ(f->size, strtoull(rest, &rest, 16));
        CHECK_STR(f->name, rest + 3);
        CHECK(image_find_function(img, start) == f);
        CHECK(image_find_function(img, start + f->size - 1) == f);
    }
    CHECK(i >= 4 && image_function_at(img, i) == NULL);
    image_close(img);
    free(list);
}

TEST(labels_of_assembler_are_functions) /* catches: all of it shown as one */
{
    struct image *img = open_or_fail(
        input_build("cc", "labels", "cc " LINK " $IN/labels.S -o $OUT"));
    const struct image_function *f;
    uint64_t at, end;

    CHECK(image_find_symbol(img, "bare_label", &at));
    CHECK(image_find_symbol(img, "strong_alias", &end));
    f = image_find_function(img, at + 1);
    CHECK(f != NULL);
    CHECK_STR(f->name, "bare_label");
    CHECK_EQ(f->start + f->size, end);
    f = image_find_function(img, end);
    CHECK(f != NULL);
    CHECK_STR(f->name, "strong_alias");
    CHECK(image_find_symbol(img, "inside_sized", &at));
    f = image_find_function(img, at);
    CHECK(f != NULL);
    CHECK_STR(f->name, "_start");
    CHECK(image_find_symbol(img, "not_code", &at));
    CHECK(image_find_function(img, at) == NULL);
    image_close(img);
}

TEST(slide_is_what_the_anchor_moved) /* catches: its sign */
{
    struct image *img = open_or_fail(build_c("-g"));
    struct image *labels = open_or_fail(
        input_build("cc", "labels", "cc " LINK " $IN/labels.S -o $OUT"));
    struct err e = {""};
    uint64_t linked, slide;

    CHECK(image_find_symbol(img, "tprof_anchor", &linked));
    CHECK_EQ(image_slide(img, linked + 0x7000, &slide, &e), 0);
    CHECK_EQ(slide, 0x7000);
    CHECK_EQ(image_slide(img, linked - 0x7000, &slide, &e), 0);
    CHECK_EQ(slide, -0x7000);
    CHECK_EQ(image_slide(labels, linked, &slide, &e), -1);
    CHECK(slide == 0 && strstr(e.text, "tprof_anchor") != NULL);
    image_close(img);
    image_close(labels);
}

TEST(other_files_are_refused_with_the_reason) /* catches: a vague message */
{
    size_t size;
    uint8_t *elf = input_read(build_c("-g"), &size);
    Elf64_Ehdr *eh = (void *)elf;
    struct image *img;
    struct err e = {""};

    CHECK_EQ(image_open(&img, "./no such file", &e), -1);
    CHECK(strstr(e.text, "No such file") != NULL);
    CHECK_EQ(image_open(&img, ".", &e), -1);
    refuses((const uint8_t *)"#!/bin/sh\n", 10, "neither an ELF file");
    refuses((const uint8_t *)"", 0, "neither an ELF file");
    eh->e_machine = EM_RISCV;
    refuses(elf, size, "another machine");
    eh->e_machine = EM_X86_64;
    eh->e_type = ET_REL;
    refuses(elf, size, "not linked");
    eh->e_type = ET_EXEC;
    eh->e_ident[EI_CLASS] = ELFCLASS32;
    refuses(elf, size, "64-bit");
    free(elf);
}

/* A copy of the (*size) bytes at (elf), all of which it loads (times) times. */
static uint8_t *repeat(const uint8_t *elf, size_t *size, unsigned times)
{
    const Elf64_Phdr all = {.p_type = PT_LOAD,
                            .p_flags = PF_R | PF_X,
                            .p_filesz = *size,
                            .p_memsz = *size};
    size_t table = (*size + 7) / 8 * 8;
    uint8_t *copy = calloc(1, table + times * sizeof all);
    Elf64_Ehdr *eh = (void *)copy;

    CHECK(copy != NULL);
    memcpy(copy, elf, *size);
    eh->e_phoff = table;
    eh->e_phnum = (uint16_t)times;
    for (unsigned i = 0; i < times; i++)
        memcpy(copy + table + i * sizeof all, &all, sizeof all);
    *size = table + times * sizeof all;
    return copy;
}

TEST(bytes_that_are_loaded_often_are_refused) /* catches: hours for a few MB */
{
    size_t size;
    uint8_t *elf = input_read(build_c("-g"), &size), *copy;
    struct image *img;
    struct err e = {""};
    size_t twice = size, often = size;

    copy = repeat(elf, &twice, 2); /* low for the boot, and high */
    CHECK_EQ(image_open(&img, input_write("twice", copy, twice), &e), 0);
    image_close(img);
    free(copy);
    copy = repeat(elf, &often, 8);
    refuses(copy, often, "has the same bytes in many segments");
    free(copy);
    free(elf);
}

TEST(a_truncated_file_says_so) /* catches: a crash at any length */
{
    size_t size;
    uint8_t *elf = input_read(build_c("-g"), &size);

    refuses(elf, size - 1, "truncated");
    refuses(elf, size / 2, "truncated");
    for (size_t len = 0; len < size; len += 1 + len / 64)
        refuses(elf, len, "");
    free(elf);
}

TEST(image_of_a_file_that_is_cut_stays_as_it_was) /* catches: SIGBUS */
{
    const char *path = build_c("-g");
    size_t size, len;
    uint8_t *elf = input_read(path, &size);
    struct image *img = open_or_fail(path);
    const struct image_text *t = image_text_at(img, 0);
    uint64_t at;

    CHECK_EQ(truncate(path, 0), 0);
    CHECK(memcmp(t->bytes, elf + t->file_offset, t->bytes_len) == 0);
    CHECK(image_find_symbol(img, "_start", &at));
    CHECK_STR(image_find_function(img, at)->name, "_start");
    CHECK(image_section(img, ".debug_info", &len) != NULL);
    CHECK_EQ(image_flaws(img), 0);
    image_close(img);
    free(elf);
}

/* What happens to the file (meddled) while it is read. */
static const char *meddled;
static bool cut;

ssize_t __real_pread(int fd, void *out, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *out, size_t size, off_t at);

ssize_t __wrap_pread(int fd, void *out, size_t size, off_t at)
{
    const struct timespec later[2] = {{2000000000, 0}, {2000000000, 0}};

    if (meddled != NULL && cut)
        CHECK_EQ(truncate(meddled, at), 0);
    else if (meddled != NULL)
        CHECK_EQ(futimens(fd, later), 0);
    return __real_pread(fd, out, size, at);
}

/* Catches: half of the old kernel and half of the new one */
TEST(a_file_that_is_written_while_it_is_read_is_refused)
{
    struct image *img;
    struct err e = {""};

    for (int i = 0; i < 2; i++) {
        cut = i == 1;
        meddled = build_c("-g");
        CHECK_EQ(image_open(&img, meddled, &e), -1);
        CHECK(strstr(e.text, "changed while it was read") != NULL);
        meddled = NULL;
    }
}

/* How often the file that (watch) is of was opened. */
static int opens(int watch)
{
    struct inotify_event event;
    int n = 0;

    while (read(watch, &event, sizeof event) == sizeof event)
        n++;
    return n;
}

/* Catches: a tape that is rewound since a recording names it */
TEST(what_is_no_file_is_not_opened)
{
    const char *path = input_write("pipe", (const uint8_t *)"", 0);
    int watch = inotify_init1(IN_NONBLOCK);
    struct image *img;
    struct err e = {""};

    CHECK_EQ(inotify_add_watch(watch, path, IN_OPEN) < 0, 0);
    CHECK_EQ(image_open(&img, path, &e), -1);
    CHECK_EQ(opens(watch), 1); /* a file is */
    CHECK_EQ(remove(path), 0);
    CHECK_EQ(mkfifo(path, 0600), 0);
    (void)opens(watch);
    CHECK_EQ(inotify_add_watch(watch, path, IN_OPEN) < 0, 0);
    CHECK_EQ(image_open(&img, path, &e), -1);
    CHECK_EQ(opens(watch), 0);
    CHECK(strstr(e.text, "not a file") != NULL);
    CHECK_EQ(remove(path), 0);
    (void)close(watch);
}

/* catches: hours for what takes no place on a disk; code behind a hole lost */
TEST(holes_are_left_out_of_segments)
{
    const uint64_t hole = (uint64_t)5 << 30;
    size_t size, held = 0, len;
    const char *path = build_c("-g");
    uint8_t *elf = input_read(path, &size);
    const struct image_text *t;
    Elf64_Phdr *ph = (void *)(elf + ((Elf64_Ehdr *)(void *)elf)->e_phoff);
    uint64_t address;
    struct image *img;

    for (unsigned i = 0; i < ((Elf64_Ehdr *)(void *)elf)->e_phnum; i++)
        if (ph[i].p_type == PT_LOAD && (ph[i].p_flags & PF_X) != 0)
            ph[i].p_filesz = ph[i].p_memsz = hole + 100 - ph[i].p_offset;
    img = open_or_fail(path);
    address =
        image_text_at(img, 0)->address - image_text_at(img, 0)->file_offset;
    image_close(img);
    path = input_write("holes", elf, size);
    CHECK_EQ(truncate(path, (off_t)hole), 0);
    FILE *f = fopen(path, "ab");
    CHECK(f != NULL && fwrite(elf, 100, 1, f) == 1 && fclose(f) == 0);
    img = open_or_fail(path);
    for (size_t i = 0; (t = image_text_at(img, i)) != NULL; i++)
        held += t->bytes_len;
    CHECK(held < size + 65536);
    CHECK(image_code(img, address + hole, &len) != NULL);
    CHECK_EQ(len, 100);
    CHECK(image_code(img, address + hole / 2, &len) == NULL);
    CHECK_EQ(remove(path), 0);
    image_close(img);
    free(elf);
}
