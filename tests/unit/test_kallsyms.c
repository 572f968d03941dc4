/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of images without a symbol table. image/kallsyms: those that Linux
 * keeps of itself, laid out here by hand in the orders of several releases;
 * what a real kernel has, the test system.nested.outside sees.
 * image/symbols_file: a list in a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "image/file/image.h"
#include "image/file/symbols_file.h"
#include "input.h"
#include "util/bytes.h"

#define TEXT   0x600000u
#define COUNT  300u
#define X_NAME 129u /* letters of a name whose length takes two bytes */

enum order { OLD, SEQUENCE, NEW };

static uint8_t bytes[1 << 16];
static size_t size;
static size_t markers_at;

static void put(uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        bytes[size++] = (uint8_t)(value >> 8 * i);
}

static void align(void)
{
    while (size % 8 != 0)
        put(0, 1);
}

static void put_offsets(void)
{
    align();
    put(64, 4); /* of a processor's data: what it says */
    for (uint32_t i = 0; i + 1 < COUNT; i++)
        put((uint64_t)0 - 1 - i, 4); /* TEXT + i */
    align();
    put(TEXT, 8);
}

/* Symbol 0 is data, 1 is "first", 2 has many letters, then "y003" and so on. */
static void put_names(void)
{
    size_t names, group = 0;

    put(COUNT, 8);
    names = size;
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[8];

        if (i == 256)
            group = size - names;
        if (i < 2) {
            put(2, 1);
            put(i == 0 ? 'D' : 'T', 1);
            put(1, 1); /* the token "first" */
        } else if (i == 2) {
            put(0x80 | ((X_NAME + 1) & 127), 1);
            put((X_NAME + 1) >> 7, 1);
            put('t', 1);
            for (uint32_t x = 0; x < X_NAME; x++)
                put('x', 1);
        } else {
            (void)snprintf(name, sizeof name, "ty%03u", i);
            put(5, 1);
            for (size_t c = 0; c < 5; c++)
                put((uint8_t)name[c], 1);
        }
    }
    align();
    markers_at = size;
    put(0, 4);
    put(group, 4);
}

static void put_tokens(void)
{
    uint16_t starts[256];
    size_t begin;

    align();
    begin = size;
    for (unsigned i = 0; i < 256; i++) {
        char letter[2] = {(char)i, '\0'};
        const char *token = i == 1               ? "first"
                            : i > ' ' && i < 127 ? letter
                                                 : "un";

        starts[i] = (uint16_t)(size - begin);
        for (size_t c = 0; c <= strlen(token); c++)
            put((uint8_t)token[c], 1);
    }
    align();
    for (unsigned i = 0; i < 256; i++)
        put(starts[i], 2);
}

static void lay(enum order order)
{
    size = 0;
    if (order != NEW)
        put_offsets();
    put_names();
    align();
    if (order == SEQUENCE)
        for (uint32_t i = 0; i < COUNT; i++)
            put(i, 3);
    put_tokens();
    if (order == NEW)
        put_offsets();
}

static struct image *open_tables(void)
{
    struct err e = {""};
    struct image *img;
    char command[512];

    (void)snprintf(
        command, sizeof command,
        "printf '.text\\n.globl _start\\n_start:\\n.skip 400, 0x90\\n"
        ".section .rodata, \"a\"\\n.balign 8\\n.incbin \"%s\"\\n' | "
        "cc -nostdlib -static -no-pie -s -Wl,-Ttext=0x600000 -x assembler - "
        "-o $OUT",
        input_write("tables", bytes, size));
    CHECK_EQ(image_open(&img, input_build("cc", "kallsyms", command), &e), 0);
    return img;
}

static void check_name(const struct image *img, uint64_t address,
                       const char *name, uint64_t start)
{
    const struct image_function *f = image_find_function(img, address);

    if (f == NULL || strcmp(f->name, name) != 0 || f->start != start)
        check_failed(__FILE__, __LINE__, "%#llx is %s",
                     (unsigned long long)address, f != NULL ? f->name : "none");
}

TEST(names_are_read_in_the_order_of_each_release)
{
    char xs[X_NAME + 1] = "";

    memset(xs, 'x', X_NAME);
    for (int order = OLD; order <= NEW; order++) {
        lay((enum order)order);
        struct image *img = open_tables();

        CHECK((image_flaws(img) & IMAGE_NO_SYMBOLS) == 0);
        check_name(img, TEXT, "first", TEXT);
        check_name(img, TEXT + 1, xs, TEXT + 1);
        check_name(img, TEXT + 2, "y003", TEXT + 2);
        check_name(img, TEXT + 298, "y299", TEXT + 298);
        check_name(img, TEXT + 350, "y299", TEXT + 298);
        image_close(img);
    }
}

/* catches: tables that are half right, read behind their ends or believed */
TEST(tables_that_do_not_fit_each_other_are_none)
{
    lay(OLD);
    for (unsigned i = 0; i < 5; i++) {
        uint8_t good[sizeof bytes];
        size_t all = size;

        memcpy(good, bytes, sizeof good);
        switch (i) {
        case 0: /* where the second group begins */
            bytes[markers_at + 4] ^= 1;
            break;
        case 1: /* the token index */
            bytes[size - 1] ^= 1;
            break;
        case 2: /* cut */
            size -= 100;
            break;
        case 3: /* the number of names */
            bytes[COUNT * 4 + 8] ^= 1;
            break;
        default: /* the relative base is no code */
            bytes[COUNT * 4 + 3] ^= 1;
            break;
        }
        struct image *img = open_tables();

        CHECK((image_flaws(img) & IMAGE_NO_SYMBOLS) != 0);
        image_close(img);
        memcpy(bytes, good, sizeof good);
        size = all;
    }
}

/* The image without tables, and (text) as the list of its symbols. */
static struct image *open_listed(const char *text)
{
    struct err e = {""};
    const char *path = input_write("list", (const uint8_t *)text, strlen(text));

    CHECK_EQ(symbols_file_use(path, &e), 0);
    return open_tables();
}

TEST(list_of_symbols_names_code) /* catches: data, modules and cut lines */
{
    struct image *img = open_listed("0000000000600000 T first\n"
                                    "0000000000600008 t second\n"
                                    "\n"
                                    "not a line\n"
                                    "0000000000600010 d data\n"
                                    "0000000000600020 t third\r\n"
                                    "0000000000600030 t fourth\t[module]\n"
                                    "00000000006000401 t far\n"
                                    "0000000000500000 T elsewhere\n"
                                    "                 U undefined\n"
                                    "ffffffffffffffff B The real System.map\n"
                                    "600050 W last");

    check_name(img, TEXT, "first", TEXT);
    check_name(img, TEXT + 0x4f, "second", TEXT + 8);
    check_name(img, TEXT + 0x50, "last", TEXT + 0x50);
    CHECK(image_find_function(img, TEXT - 1) == NULL);
    image_close(img);
}

TEST(list_of_a_kernel_that_moved_is_moved_back) /* as /proc/kallsyms is */
{
    struct image *img = open_listed("0000000000000000 A fixed_percpu_data\n"
                                    "ffffffffbbc00000 T _text\n"
                                    "ffffffffbbc00010 T second\n");

    check_name(img, TEXT + 0xf, "_text", TEXT);
    check_name(img, TEXT + 0x10, "second", TEXT + 0x10);
    image_close(img);
}

TEST(list_that_is_given_goes_before_tables)
{
    lay(OLD);
    struct image *img = open_listed("600000 T mine\n");

    check_name(img, TEXT + 5, "mine", TEXT);
    image_close(img);
}

TEST(list_that_names_nothing_leaves_the_tables)
{
    lay(OLD);
    struct image *img = open_listed("600000 D mine\n");

    check_name(img, TEXT, "first", TEXT);
    image_close(img);
}
