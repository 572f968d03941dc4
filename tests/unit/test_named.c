/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks of names, made by hand from RECORDING.md: what they say, and what is
 * refused. golden.named.* compare those of whole recordings with files.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include <zstd.h>

#include "image/code/frame_place.h"
#include "image/file/image.h"
#include "image/names/symbolize.h"
#include "recording/names/named.h"

#define BLOCK(text) (text), sizeof(text) - 1
#define ROOM        (64u << 20)

/* 0x200044, in mix (kernel.c:21), inlined into checksum (30); prologue, three
 * words below the return address. Then 0x200050: in the body of checksum. */
#define LEAVES                                                                 \
    "\x01"                                                                     \
    "\xc4\x80\x80\x01"                                                         \
    "\x59\x21\x02"                                                             \
    "\x01mix\0\x02kernel.c\0\x02\x15"                                          \
    "\x03"                                                                     \
    "checksum\0\x02\x02\x1e"                                                   \
    "\x24\x30"                                                                 \
    "\x0c\x40\x20\x01\x03\x02\x02\x1f\x30\x30"

/* 0x200080 follows a call, in a function that its only call, at 0x200104, and
 * so a call instruction calls; it has no frame and no name. */
#define CALLS "\x02\x80\x81\x80\x01\xbb\x1b\x84\x82\x80\x01\x00"

#define IMAGE                                                                  \
    "\x03\x06\x01/k/kernel.elf\0\x00\x00\x00\x02\xab\xcd\x08"                  \
    "\x05\xa7\x82\x80\x01\xa8\x82\x80\x01"                                     \
    "\x01\x80\x80\x80\x01\xa7\x02\x80\x20"                                     \
    "\x01\x80\x80\x80\x01\xa7\x02\xef\xfd\xb6\xf5\x0d"                         \
    "\x02\x02kernel.c, b.c\0"

/* Of image 1: 5 bytes of code at 0x200030, of 2 instructions, in mix
 * (kernel.c:21); and lines 20 and 21 of kernel.c. */
#define FUNCTION                                                               \
    "\x05\x01"                                                                 \
    "\x05\xb0\x80\x80\x01\x55\x48\x89\xe5\xc3\x00"                             \
    "\x02\xb0\x80\x80\x01\x01\x01\x01mix\0\x02kernel.c\0\x02\x15\x10\x30"      \
    "\x04\x00\x00"                                                             \
    "\x02\x14\x02int mix(void)\0{\0"                                           \
    "\x00"

static struct err error;
static uint8_t packed[3u << 20];

static int take(struct named *n, const char *block, size_t size)
{
    size_t length = ZSTD_compress(packed, sizeof packed, block, size, 1);

    error.text[0] = '\0';
    return named_take(n, packed, length, &error);
}

static struct named_image *only(struct named *n)
{
    CHECK_EQ(take(n, BLOCK(LEAVES)), 0);
    CHECK_EQ(take(n, BLOCK(CALLS)), 0);
    CHECK_EQ(n->count, 0);
    CHECK_EQ(take(n, BLOCK(IMAGE)), 0);
    CHECK_EQ(n->count, 1);
    return &n->images[0];
}

TEST(symbols_are_those_of_the_block) /* catches: fields mixed up */
{
    struct named n = {.bytes_max = ROOM};
    struct symbolizer *s = only(&n)->symbolizer;
    const struct symbol *mix = symbolize(s, 0x200044);

    CHECK_STR(mix->function, "mix");
    CHECK_STR(mix->file, "kernel.c");
    CHECK_STR(mix->home, "kernel.c");
    CHECK_EQ(mix->line, 21);
    CHECK_EQ(mix->kind, SYMBOL_INLINED);
    CHECK_EQ(mix->start, 0x200020);
    CHECK_EQ(mix->size, 0x30);
    const struct symbol *outer = mix->inlined_into;

    CHECK_STR(outer->function, "checksum");
    CHECK_EQ(outer->line, 30);
    CHECK_EQ(outer->kind, SYMBOL_DWARF);
    CHECK(outer->inlined_into == NULL);
    CHECK(symbolize(s, 0x200050)->function == outer->function);
    CHECK_EQ(symbolize(s, 0x200050)->line, 31);
    /* neither told nor known */
    CHECK_EQ(symbolize(s, 0x20007f)->kind, SYMBOL_ADDRESS);
    CHECK_EQ(symbolize(s, 0x200045)->kind, SYMBOL_ADDRESS);
    named_fini(&n);
}

TEST(code_is_as_the_block_says) /* catches: bits mixed up */
{
    struct named n = {.bytes_max = ROOM};
    struct frame_places *o = only(&n)->frame_places;

    CHECK(frame_places_known(o));
    CHECK_EQ(frame_place_at(o, 0x200044), CODE_PROLOGUE);
    CHECK_EQ(frame_place_of_call(o, 0x200044), CODE_PROLOGUE);
    CHECK_EQ(frame_place_exit(o, 0x200044).words, 3);
    CHECK(frame_place_exit(o, 0x200044).fp_kept);
    CHECK(!frame_place_exit(o, 0x200044).called);
    CHECK_EQ(frame_place_at(o, 0x200050), CODE_BODY);
    CHECK_EQ(frame_place_at(o, 0x200080), CODE_NO_FRAME);
    CHECK_EQ(frame_place_exit(o, 0x200080).words, CODE_FAR);
    CHECK(frame_place_exit(o, 0x200080).called);
    CHECK(frame_place_is_called(o, 0x20007f));
    CHECK_EQ(frame_place_only_call(o, 0x200080), 0x200104);
    /* of others nothing is known */
    CHECK_EQ(frame_place_at(o, 0x200051), CODE_UNKNOWN);
    CHECK_EQ(frame_place_exit(o, 0x200051).words, CODE_FAR);
    CHECK_EQ(frame_place_only_call(o, 0x200051), 0);
    named_fini(&n);
}

TEST(image_answers_without_a_file) /* catches: a guest that is not recognized */
{
    struct named n = {.bytes_max = ROOM};
    const struct named_image *named = only(&n);
    const struct image *img = named->image;
    uint64_t slide, address;
    uint32_t crc;
    size_t len;

    CHECK(named->is_kernel);
    CHECK_STR(image_path(img), "/k/kernel.elf");
    CHECK(image_debug_path(img) == NULL);
    CHECK_MEM(image_build_id(img, &len), "\xab\xcd", 2);
    CHECK_EQ(len, 2);
    CHECK_EQ(image_flaws(img), IMAGE_NO_SYMBOLS_PE);
    CHECK_EQ(image_slide(img, 0x300127, &slide, &error), 0);
    CHECK_EQ(slide, 0x100000);
    CHECK(image_find_symbol(img, "tprof_init_image", &address));
    CHECK_EQ(address, 0x200128);
    CHECK(!image_find_symbol(img, "tprof_directory", &address));
    CHECK_EQ(image_text_crc(img, 0x200000, 0x127, &crc), 0);
    CHECK_EQ(crc, 0xdeadbeef);
    CHECK_EQ(image_text_crc(img, 0x200000, 0x128, &crc), -1);
    CHECK_EQ(image_text_at(img, 0)->address, 0x200000);
    CHECK_EQ(image_text_at(img, 0)->size, 0x127);
    CHECK_EQ(image_text_at(img, 0)->file_offset, 0x1000);
    CHECK(image_text_at(img, 1) == NULL);
    CHECK(image_code(img, 0x200000, &len) == NULL);
    CHECK(image_find_function(img, 0x200000) == NULL);
    CHECK_EQ(named->red_zones, 2);
    CHECK_STR(named->red_zone_names, "kernel.c, b.c");
    named_fini(&n);
}

TEST(functions_have_their_code_and_source) /* catches: annotate without files */
{
    struct named n = {.bytes_max = ROOM};
    struct named_image *named = only(&n);
    size_t len;

    CHECK_EQ(take(&n, BLOCK(FUNCTION)), 0);
    CHECK_MEM(image_code(named->image, 0x200030, &len), "\x55\x48\x89\xe5\xc3",
              5);
    CHECK_EQ(len, 5);
    CHECK_MEM(image_code(named->image, 0x200034, &len), "\xc3", 1);
    CHECK_EQ(len, 1);
    CHECK(image_code(named->image, 0x200035, &len) == NULL);
    CHECK(image_code(named->image, 0x20002f, &len) == NULL);
    CHECK_STR(symbolize(named->symbolizer, 0x200030)->function, "mix");
    CHECK_EQ(symbolize(named->symbolizer, 0x200030)->line, 21);
    CHECK_EQ(symbolize(named->symbolizer, 0x200030)->start, 0x200020);
    CHECK_EQ(symbolize(named->symbolizer, 0x200034)->kind, SYMBOL_ADDRESS);
    const struct image_source *source = image_source_at(named->image, 0);

    CHECK_STR(source->path, "kernel.c");
    CHECK_EQ(source->first, 20);
    CHECK_EQ(source->count, 2);
    CHECK_MEM(source->lines, "int mix(void)\0{", 16);
    CHECK_EQ(source->size, 16);
    CHECK(image_source_at(named->image, 1) == NULL);
    named_fini(&n);
}

TEST(every_cut_of_a_function_is_refused) /* catches: lengths that are trusted */
{
    for (size_t size = 2; size < sizeof FUNCTION - 1; size++) {
        struct named n = {.bytes_max = ROOM};

        (void)only(&n);
        CHECK_EQ(take(&n, FUNCTION, size), -1);
        named_fini(&n);
    }
}

TEST(functions_stay_within_the_memory) /* catches: code that is not counted */
{
    static char block[60000] = "\x05\x01\xe0\xc5\x03\x00"; /* 58080 bytes */
    struct named n = {.bytes_max = 200000};
    size_t len;

    (void)only(&n);
    for (unsigned i = 0; i < 50; i++)
        CHECK_EQ(take(&n, block, 6 + 58080 + 3), 0);
    CHECK(n.bytes <= 300000);
    CHECK(image_learned_bytes(n.images[0].image) <= 300000);
    CHECK(image_code(n.images[0].image, 0, &len) != NULL);
    named_fini(&n);
}

TEST(symbols_of_a_function_stay_within_the_memory) /* catches: 600 KB of them */
{
    static char block[560u << 10] = "\x05\x01\x00\xe0\xd4\x03"; /* 60000 */
    static const char first[] = "\x01\x00\x01\x01m\0\x02k\0\x02\x15\x00\x01",
                      next[] = "\x01\x00\x01\x01\x02\x02\x15\x00\x01";
    struct named n = {.bytes_max = 200000};
    size_t size = 6 + sizeof first - 1;

    (void)only(&n);
    memcpy(block + 6, first, sizeof first - 1);
    for (unsigned i = 1; i < 60000; i++, size += sizeof next - 1)
        memcpy(block + size, next, sizeof next - 1);
    CHECK_EQ(take(&n, block, size + 1), 0); /* no source */
    CHECK(n.bytes <= 400000);               /* a table doubles */
    CHECK_STR(symbolize(n.images[0].symbolizer, 1)->function, "m");
    named_fini(&n);
}

TEST(every_cut_is_refused) /* catches: a reader that trusts a length */
{
    static const struct {
        const char *bytes;
        size_t size;
    } blocks[] = {{BLOCK(LEAVES)}, {BLOCK(CALLS)}, {BLOCK(IMAGE)}};

    for (size_t i = 0; i < 3; i++) {
        for (size_t size = 2; size < blocks[i].size; size++) {
            struct named n = {.bytes_max = ROOM};
            bool between = i == 0 && size == sizeof LEAVES - 1 - 10;

            CHECK_EQ(take(&n, blocks[i].bytes, size), between ? 0 : -1);
            CHECK_EQ(n.count, 0);
            named_fini(&n);
        }
    }
}

TEST(senseless_blocks_are_refused) /* catches: values used as they come */
{
    static const struct {
        const char *bytes;
        size_t size;
    } blocks[] = {
        {BLOCK("\x01\x01\x07\x00\x00")},                /* place */
        {BLOCK("\x01\x01\x00\x07\x00")},                /* of call */
        {BLOCK("\x01\x01\x00\x00\x21")},                /* chain */
        {BLOCK("\x01\x01\x00\x00\x01\x00")},            /* nameless function */
        {BLOCK("\x01\x01\x00\x00\x01\x02x\0")},         /* text out of order */
        {BLOCK("\x05\x00\x00\x00\x00")},                /* image 0 */
        {BLOCK("\x05\x01\x00\x00\x00")},                /* no such image */
        {BLOCK("\x03\x00\x01k\0\0\0\0\x41")},           /* build-id */
        {BLOCK("\x03\x00\x00\0\0\0\0\0\0\0\0\0\0")},    /* no path */
        {BLOCK("\x03\x00\x01k\0\0\0\0\0\0\0\x81\x20")}, /* texts */
        {BLOCK("\x03\x00\x01k\0\0\0\0\0\0\0\0\x51")}    /* sums */
    };

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        struct named n = {.bytes_max = ROOM};

        CHECK_EQ(take(&n, blocks[i].bytes, blocks[i].size), -1);
        CHECK_STR(error.text, "they contradict themselves");
        CHECK_EQ(n.count, 0);
        named_fini(&n);
    }
}

TEST(bytes_that_are_not_compressed_are_refused)
{
    static char large[(1u << 20) + 1];
    struct named n = {.bytes_max = ROOM};

    CHECK_EQ(named_take(&n, LEAVES, sizeof LEAVES, &error), -1);
    CHECK_STR(error.text, "they are not compressed as they should be");
    CHECK_EQ(take(&n, large, sizeof large), -1);
    CHECK_STR(error.text, "a block of 1048577 bytes exceeds 1048576");
    size_t size = ZSTD_compress(packed, sizeof packed, BLOCK(LEAVES), 1);

    CHECK_EQ(named_take(&n, packed, size - 1, &error), -1);
    CHECK_STR(error.text, "their compressed bytes are damaged");
    named_fini(&n);
}

TEST(names_are_bounded) /* catches: a small file that takes all memory */
{
    struct named n = {.bytes_max = 100000};
    static char block[1u << 20] = "\x01";
    size_t size = 1;

    while (size + 5 <= sizeof block) {
        block[size] = 1;
        size += 4;
    }
    CHECK_EQ(take(&n, block, size), 0);
    CHECK(n.partial);
    CHECK_EQ(take(&n, BLOCK(IMAGE)), 0);
    CHECK(n.bytes <= 200000); /* a table doubles */
    named_fini(&n);
}

TEST(unknown_blocks_are_skipped_and_partial_ones_told)
{
    struct named n = {.bytes_max = ROOM};

    CHECK_EQ(take(&n, BLOCK("\x09whatever")), 0);
    CHECK(!n.partial);
    CHECK_EQ(take(&n, BLOCK("\x04")), 0);
    CHECK(n.partial);
    named_fini(&n);
}

TEST(names_are_made_harmless) /* catches: escapes that reach a terminal */
{
    struct named n = {.bytes_max = ROOM};

    CHECK_EQ(
        take(&n, BLOCK("\x01\x01\x00\x00\x01\x01_Z1fv\x1b[2J\0\0\0\0\0\x01")),
        0);
    CHECK_EQ(take(&n, BLOCK(IMAGE)), 0);
    CHECK_STR(symbolize(n.images[0].symbolizer, 1)->function, "_Z1fv\\x1b[2J");
    named_fini(&n);
}

TEST(paths_are_made_harmless_and_short) /* catches: a path of a MiB */
{
    struct named n = {.bytes_max = ROOM};
    static char block[20000] = "\x03\x00\x01/\x1b[2J";

    memset(block + 8, 'x', 10000);
    /* a NUL, nine times nothing, and the first text as names of red zones */
    block[8 + 10000 + 10] = 1;
    CHECK_EQ(take(&n, block, 8 + 10000 + 11), 0);
    CHECK_MEM(image_path(n.images[0].image), "/\\x1b[2Jxxx", 11);
    CHECK_EQ(strlen(image_path(n.images[0].image)), 4095);
    named_fini(&n);
}
