/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed dumps laid by hand: head, sub header, notes, two bitmaps,
 * descriptors, pages; as they are, and flattened. Each page repeats the same
 * 64 bytes. tests/system/stacks and tests/guest/crash read real dumps of QEMU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "check.h"
#include "dump/dump_memory.h"
#include "dump/dump_stream.h"
#include "dump/parts.h"
#include "util/bytes.h"

#define NOTES       (DUMP_PAGE + 104u)
#define NOTES_SIZE  72u
#define BITMAP      (3 * DUMP_PAGE) /* the second one */
#define DESCRIPTORS (4 * DUMP_PAGE)
#define PAGES       9u /* 0 to 2, 16 to 20, and 33 */
#define BITS        40u
#define MANY        1000u /* pages: more than are kept */
#define SIZE_MAX_   (DESCRIPTORS + MANY * (24 + 200))
#define PIECE       1000u /* bytes of one write in a flattened file */

static const unsigned page_number[PAGES] = {0, 1, 2, 16, 17, 18, 19, 20, 33};
static const uint32_t methods[] = {0, DUMP_PAGE_ZLIB, DUMP_PAGE_ZSTD};
static const struct dump_view physical = {DUMP_BY_OFFSET, 0};
static uint8_t file[SIZE_MAX_], flat[2 * SIZE_MAX_];
static size_t file_size, flat_size;
static struct err error;

/* The first of 64 bytes tells the page. */
static uint8_t byte_of(uint64_t address)
{
    return (uint8_t)(address % 64 == 0 ? address / DUMP_PAGE + 1
                                       : address % 64 * 7);
}

static size_t put_page(uint32_t method, uint8_t *to, const uint8_t *page)
{
    uLongf size = DUMP_PAGE;

    switch (method) {
    case DUMP_PAGE_ZLIB:
        CHECK(compress2(to, &size, page, DUMP_PAGE, 1) == Z_OK);
        return size;
    case DUMP_PAGE_ZSTD:
        return ZSTD_compress(to, DUMP_PAGE, page, DUMP_PAGE, 1);
    default:
        memcpy(to, page, DUMP_PAGE);
        return DUMP_PAGE;
    }
}

static void lay_heads(uint32_t method)
{
    static const uint8_t name[8] = "KDUMP   ";

    memset(file, 0, sizeof file);
    memcpy(file, name, sizeof name);
    store_u32(file + 8, 6);
    store_u32(file + 424, method);
    store_u32(file + 428, DUMP_PAGE);
    store_u32(file + 432, 1);
    store_u32(file + 436, 2);
    store_u64(file + DUMP_PAGE + 48, NOTES);
    store_u64(file + DUMP_PAGE + 56, NOTES_SIZE);
    store_u64(file + DUMP_PAGE + 96, BITS);
    for (unsigned i = 0; i < NOTES_SIZE; i++)
        file[NOTES + i] = (uint8_t)i;
}

static void lay_pages(uint32_t method, unsigned pages)
{
    uint8_t page[DUMP_PAGE];

    lay_heads(method);
    file_size = DESCRIPTORS + (size_t)pages * 24;
    for (unsigned i = 0; i < pages; i++) {
        uint8_t *d = file + DESCRIPTORS + (size_t)i * 24;
        unsigned number = pages == PAGES ? page_number[i] : i;

        file[BITMAP + number / 8] |= (uint8_t)(1u << number % 8);
        for (unsigned k = 0; k < DUMP_PAGE; k++)
            page[k] = byte_of((uint64_t)number * DUMP_PAGE + k);
        store_u64(d, file_size);
        size_t size = put_page(method, file + file_size, page);

        store_u32(d + 8, (uint32_t)size);
        store_u32(d + 12, method);
        file_size += size;
    }
}

static void lay(uint32_t method)
{
    lay_pages(method, PAGES);
}

static void put_big(uint64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        flat[flat_size++] = (uint8_t)(value >> shift);
}

static void put_write(uint64_t start, uint64_t size, const uint8_t *bytes)
{
    put_big(start);
    put_big(size);
    memcpy(flat + flat_size, bytes, (size_t)size);
    flat_size += (size_t)size;
}

/* As a writer does who comes back to what he wrote first: every second piece,
 * the first of nothing, and then the others. */
static void flatten(void)
{
    static const uint8_t nothing[PIECE], name[16] = "makedumpfile";

    memset(flat, 0, sizeof flat);
    memcpy(flat, name, sizeof name);
    flat_size = 16;
    put_big(1);
    put_big(1);
    flat_size = 4096;
    put_write(0, PIECE, nothing);
    for (size_t odd = 0; odd < 2; odd++)
        for (size_t at = odd * PIECE; at < file_size; at += 2 * (size_t)PIECE)
            put_write(at, file_size - at < PIECE ? file_size - at : PIECE,
                      file + at);
    put_big(UINT64_MAX);
    put_big(UINT64_MAX);
}

static int fd;

static struct dump_memory *begin(const uint8_t *bytes, size_t size)
{
    fd = memfd_create("dump", MFD_CLOEXEC);
    CHECK(fd >= 0);
    CHECK(write(fd, bytes, size) == (ssize_t)size);
    error.text[0] = '\0';
    return dump_memory_new(fd, &error);
}

static void finish(struct dump_memory *m)
{
    dump_memory_free(m);
    close(fd);
}

static struct dump_memory *begin_as(bool flattened)
{
    if (flattened)
        flatten();
    return flattened ? begin(flat, flat_size) : begin(file, file_size);
}

static void all_is_there(struct dump_memory *m)
{
    static uint8_t got[8 * DUMP_PAGE];
    static const struct {
        uint64_t first, pages;
    } run[] = {{0, 3}, {16, 5}, {33, 1}};

    CHECK_EQ(dump_memory_size(m), PAGES * DUMP_PAGE);
    CHECK(!dump_memory_has_virtual(m));
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) {
        uint64_t from = run[i].first * DUMP_PAGE + 5;
        size_t size = (size_t)run[i].pages * DUMP_PAGE - 5;

        CHECK_EQ(dump_memory_some(m, &physical, from, got, sizeof got), size);
        for (size_t k = 0; k < size; k++)
            CHECK_EQ(got[k], byte_of(from + k));
    }
    CHECK_EQ(dump_memory_some(m, &physical, 3 * DUMP_PAGE, got, 1), 0);
    CHECK_EQ(dump_memory_some(m, &physical, 34 * DUMP_PAGE, got, 1), 0);
    CHECK_EQ(dump_memory_notes_size(m), NOTES_SIZE);
    CHECK_EQ(dump_memory_notes(m, 2, got, sizeof got), NOTES_SIZE - 2);
    CHECK_EQ(got[0], 2);
    CHECK(dump_memory_trouble(m) == NULL);
}

TEST(memory_is_what_was_compressed)
/* catches: a page for another one, a hole that is taken for memory */
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        lay(methods[i]);
        for (int flattened = 0; flattened < 2; flattened++) {
            struct dump_memory *m = begin_as(flattened);

            CHECK_STR(error.text, "");
            CHECK(m != NULL);
            all_is_there(m);
            finish(m);
        }
    }
}

TEST(each_of_many_pages_is_itself)
/* catches: a page or descriptor that was read before, for another */
{
    lay_pages(DUMP_PAGE_ZLIB, MANY);
    store_u64(file + DUMP_PAGE + 96, MANY);
    struct dump_memory *m = begin_as(true);
    uint8_t got;

    CHECK(m != NULL);
    CHECK_EQ(dump_memory_size(m), MANY * DUMP_PAGE);
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t at = i * 389 % MANY * DUMP_PAGE;

        if (i >= 1000) /* one after the other, there and back */
            at = (i < 2000 ? i - 1000 : 2999 - i) * DUMP_PAGE;
        CHECK_EQ(dump_memory_some(m, &physical, at, &got, 1), 1);
        CHECK_EQ(got, byte_of(at));
    }
    finish(m);
}

TEST(pattern_is_found_on_whatever_page)
{
    uint64_t place = 0, at;
    uint8_t pattern[8];

    lay(DUMP_PAGE_ZLIB);
    struct dump_memory *m = begin_as(true);

    CHECK(m != NULL);
    for (unsigned i = 0; i < 8; i++)
        pattern[i] = byte_of(33 * DUMP_PAGE + i);
    CHECK(dump_memory_find(m, pattern, sizeof pattern, &place, &at));
    CHECK_EQ(at, 33 * DUMP_PAGE);
    finish(m);
}

/* What is wrong is told by (word). */
static void refused(const char *word)
{
    for (int flattened = 0; flattened < 2; flattened++) {
        struct dump_memory *m = begin_as(flattened);

        CHECK(m == NULL);
        if (strstr(error.text, word) == NULL)
            CHECK_STR(error.text, word);
        finish(m);
    }
}

TEST(what_cannot_be_read_is_told)
{
    lay(DUMP_PAGE_ZLIB);
    store_u32(file + DUMP_PAGE + 12, 1);
    refused("split");
    lay(DUMP_PAGE_ZLIB);
    store_u32(file + 428, 0);
    refused("not of 4096 bytes");
    store_u32(file + 416, DUMP_PAGE);
    refused("no 64-bit code");
    lay(DUMP_PAGE_ZLIB);
    store_u64(file + DUMP_PAGE + 96, UINT64_MAX);
    refused("16 TiB");
    store_u64(file + DUMP_PAGE + 96, DUMP_PAGE * 8 + 1);
    refused("bitmap");
    lay(DUMP_PAGE_ZLIB);
    store_u32(file + 436, UINT32_MAX);
    refused("bitmap");
    lay(DUMP_PAGE_ZLIB);
    memset(file + BITMAP, 0, DUMP_PAGE);
    refused("contains no memory");
    lay(0);
    store_u64(file + DUMP_PAGE + 96, DUMP_PAGE * 8);
    memset(file + BITMAP, 0xff, DUMP_PAGE);
    refused("descriptors");
    memset(file + BITMAP, 0x55, DUMP_PAGE);
    refused("more than 4096 parts");
    lay(DUMP_PAGE_ZLIB);
    store_u32(file + 424, DUMP_PAGE_LZO);
    refused("is compressed by lzo, which is not supported: dump it again by "
            "'dump-guest-memory -z FILE'");
    store_u32(file + 424, DUMP_PAGE_SNAPPY);
    refused("is compressed by snappy, which is not supported");
}

TEST(damaged_page_is_told)
{
    lay(DUMP_PAGE_ZLIB);
    memset(file + load_u64(file + DESCRIPTORS + 4 * 24), 0xff, 4);
    struct dump_memory *m = begin_as(true);
    uint8_t got[DUMP_PAGE];

    CHECK(m != NULL);
    CHECK_EQ(dump_memory_some(m, &physical, 18 * DUMP_PAGE, got, sizeof got),
             sizeof got);
    CHECK_EQ(dump_memory_some(m, &physical, 17 * DUMP_PAGE, got, sizeof got),
             0);
    CHECK_STR(dump_memory_trouble(m), "page 5 of 9 could not be uncompressed");
    CHECK(dump_stream_new(m, &error) == NULL);
    CHECK_STR(error.text, "is damaged: page 5 of 9 could not be uncompressed");
    close(fd);
    lay(0);
    store_u32(file + DESCRIPTORS + 8, UINT32_MAX);
    store_u64(file + DESCRIPTORS + 24, UINT64_MAX);
    m = begin_as(false);
    CHECK(m != NULL);
    CHECK_EQ(dump_memory_some(m, &physical, 0, got, 1), 0);
    CHECK_STR(dump_memory_trouble(m), "page 1 of 9 is damaged");
    CHECK_EQ(dump_memory_some(m, &physical, DUMP_PAGE, got, 1), 0);
    CHECK_EQ(dump_memory_some(m, &physical, 2 * DUMP_PAGE, got, 1), 1);
    finish(m);
}

TEST(what_is_flattened_badly_is_told)
{
    static const uint8_t bytes[2 * PIECE];

    lay(DUMP_PAGE_ZLIB);
    flatten();
    flat[31] = 2;
    CHECK(begin(flat, flat_size) == NULL);
    CHECK(strstr(error.text, "unknown kind") != NULL);
    close(fd);
    flatten();
    flat_size -= 16;
    put_write(file_size - 1, 2, bytes);
    put_big(UINT64_MAX);
    put_big(0);
    CHECK(begin(flat, flat_size) == NULL);
    CHECK(strstr(error.text, "overlap at") != NULL);
    close(fd);
    flatten();
    memset(flat + 4096 + 8, 0x7f, 8); /* the size of the first write */
    CHECK(begin(flat, flat_size) == NULL);
    CHECK(strstr(error.text, "cut") != NULL);
    close(fd);
    memset(flat + 4096, 0x7f, 8);
    CHECK(begin(flat, flat_size) == NULL);
    CHECK(strstr(error.text, "has no record of") != NULL);
    close(fd);
    flatten();
    memset(flat + 4096, 0xff, 8);
    CHECK(begin(flat, flat_size) == NULL);
    CHECK(strstr(error.text, "empty") != NULL);
    close(fd);
}

/* However little of it is there: it is refused, or pages are missing. */
TEST(cut_dump_has_no_other_memory)
{
    static uint8_t got[DUMP_PAGE];

    lay(DUMP_PAGE_ZLIB);
    flatten();
    for (size_t size = 0; size < file_size; size += 37) {
        struct dump_memory *m = begin(file, size);

        CHECK(m != NULL || error.text[0] != '\0');
        for (unsigned i = 0; m != NULL && i < PAGES; i++) {
            uint64_t at = (uint64_t)page_number[i] * DUMP_PAGE;
            size_t n = dump_memory_some(m, &physical, at, got, DUMP_PAGE);

            CHECK(n == DUMP_PAGE || dump_memory_trouble(m) != NULL);
            CHECK(n == 0 || got[n - 1] == byte_of(at + n - 1));
        }
        finish(m);
    }
    for (size_t size = 4096; size < flat_size; size += 37) {
        CHECK(begin(flat, size) == NULL);
        CHECK(strstr(error.text, "cut") != NULL);
        close(fd);
    }
}
