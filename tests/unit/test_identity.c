/* SPDX-License-Identifier: BSD-2-Clause */
/* Which file is whose: by build-id, by the checksum of code, by name. The
 * images are those of tests/golden. */
#include "image/match/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "input.h"

/* From readelf; the checksums are of the bytes that objcopy -O binary gives,
 * by another implementation of CRC-32C. */
#define KERNEL_TEXT 0x200000u
#define KERNEL_SIZE 0x127u
#define KERNEL_CRC  0xa0686979u
#define APP_TEXT    0x1f1u
#define APP_SIZE    0x76u

static const uint8_t kernel_id[20] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
                                      0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
                                      0xcd, 0xef, 0x01, 0x23, 0x45, 0x67};

static struct image *open_image(const char *path)
{
    struct image *img;
    struct err e = {""};

    CHECK_EQ(image_open(&img, path, &e), 0);
    return img;
}

static struct guest guest_with_id(void)
{
    struct guest g = {.text_start = KERNEL_TEXT, .text_size = KERNEL_SIZE};

    memcpy(g.build_id, kernel_id, 20);
    g.build_id_len = 20;
    return g;
}

static struct guest guest_with_crc(uint64_t slide)
{
    return (struct guest){.text_start = KERNEL_TEXT + slide,
                          .text_size = KERNEL_SIZE,
                          .has_text_crc = true,
                          .text_crc = KERNEL_CRC};
}

TEST(a_kernel_is_known_by_its_build_id)
{
    struct image *kernel = open_image(KERNEL), *app = open_image(APP);
    struct guest g = guest_with_id();

    CHECK_EQ(identity_kernel(&g, kernel), IDENTITY_SAME);
    CHECK_EQ(identity_kernel(&g, app), IDENTITY_OTHER);
    g.build_id_len = 19; /* the beginning of another one */
    CHECK_EQ(identity_kernel(&g, kernel), IDENTITY_OTHER);
    image_close(kernel);
    image_close(app);
}

TEST(a_kernel_without_build_id_is_known_by_its_code)
{
    struct image *kernel = open_image(KERNEL), *app = open_image(APP);
    struct guest g = guest_with_crc(0);

    CHECK_EQ(identity_kernel(&g, kernel), IDENTITY_SAME);
    CHECK_EQ(identity_kernel(&g, app), IDENTITY_DOUBTFUL);
    g = guest_with_crc(0x7f0000); /* moved, and where to was not told */
    CHECK_EQ(identity_kernel(&g, kernel), IDENTITY_SAME);
    g.text_start++; /* no page is there */
    CHECK_EQ(identity_kernel(&g, kernel), IDENTITY_DOUBTFUL);
    g = guest_with_crc(0);
    g.text_crc ^= 1;
    CHECK_EQ(identity_kernel(&g, kernel), IDENTITY_DOUBTFUL);
    g.has_text_crc = false;
    CHECK_EQ(identity_kernel(&g, kernel), IDENTITY_DOUBTFUL);
    image_close(kernel);
    image_close(app);
}

TEST(the_slide_is_found_without_its_symbol)
{
    struct image *kernel = open_image(KERNEL), *app = open_image(APP);
    struct guest g = guest_with_crc(0x7f0000);
    struct remarks remarks = {0};
    uint64_t slide = 1;
    struct err e;

    CHECK_EQ(identity_check(&g, kernel, &slide, &remarks, &e), 0);
    CHECK_EQ(slide, 0x7f0000);
    g.text_start = KERNEL_TEXT - 0x1ff000; /* downwards */
    CHECK_EQ(identity_check(&g, kernel, &slide, &remarks, &e), 0);
    CHECK_EQ(slide, (uint64_t)0 - 0x1ff000);
    CHECK_EQ(remarks.count, 0);

    /* the symbol says otherwise: it is believed, and the code is doubted */
    g.anchor = KERNEL_TEXT + 0x127 + 0x1000;
    CHECK_EQ(identity_check(&g, kernel, &slide, &remarks, &e), 0);
    CHECK_EQ(slide, 0x1000);
    CHECK_EQ(remarks.count, 1);

    /* nothing to know it by: as if it was not moved */
    CHECK_EQ(identity_check(&g, app, &slide, &remarks, &e), 0);
    CHECK_EQ(slide, 0);
    CHECK_EQ(remarks.count, 3);
    CHECK(strstr(remarks.list[1].text, "has no symbol tprof_anchor") != NULL);
    CHECK(strstr(remarks.list[1].text, "not in the file either") != NULL);
    image_close(kernel);
    image_close(app);
}

/* catches: a kernel without agent that patches its code, and has no names */
TEST(the_slide_that_was_found_from_outside_is_believed)
{
    struct image *kernel = open_image(KERNEL);
    struct guest g = guest_with_crc(0x7f0000);
    struct remarks remarks = {0};
    uint64_t slide = 1;
    struct err e;

    g.text_crc ^= 1;
    g.has_slide = true;
    g.slide = 0x7f0000;
    CHECK_EQ(identity_check(&g, kernel, &slide, &remarks, &e), 0);
    CHECK_EQ(slide, 0x7f0000);
    CHECK_EQ(remarks.count, 1);
    CHECK(!remarks.list[0].warning);
    CHECK(strstr(remarks.list[0].text, "patches itself") != NULL);
    image_close(kernel);
}

/* A kernel with data in its text, which the assembler pads to whole pages.
 * (before) is code ahead of the agent's, (behind) code behind it. */
static struct image *build_kernel(const char *name, const char *table,
                                  const char *before, const char *behind)
{
    char command[1024];

    (void)snprintf(
        command, sizeof command,
        "printf '%%s\\n' '.globl _start, tprof_init_image, tprof_anchor, "
        "tprof_directory, __tprof_text_start, __tprof_text_end; "
        "__tprof_text_start:; _start: jmp _start; .quad %s; %s' "
        "'tprof_init_image: ret; %s; .balign 4096, 0x90; __tprof_text_end:; "
        ".data; tprof_anchor: .quad 1; tprof_directory: .quad 2' >$OUT.s && "
        "cc -nostdlib -static -no-pie -Wl,--build-id=none $OUT.s -o $OUT",
        table, before, behind);
    return open_image(input_build("cc", name, command));
}

/* What the agent in (img) tells of it, loaded (slide) higher. */
static struct guest told_by(const struct image *img, uint64_t slide)
{
    struct guest g = {.has_text_crc = true};
    uint64_t end = 0;

    CHECK(image_find_symbol(img, "__tprof_text_start", &g.text_start));
    CHECK(image_find_symbol(img, "__tprof_text_end", &end));
    CHECK(image_find_symbol(img, "tprof_anchor", &g.anchor));
    CHECK(image_find_symbol(img, "tprof_directory", &g.directory));
    CHECK(image_find_symbol(img, "tprof_init_image", &g.code));
    g.text_size = end - g.text_start;
    CHECK_EQ(image_text_crc(img, g.text_start, g.text_size, &g.text_crc), 0);
    g.text_start += slide;
    g.anchor += slide;
    g.directory += slide;
    g.code += slide;
    return g;
}

/* The CPU sets bits in page tables, and kernels patch themselves. */
TEST(a_kernel_that_changes_its_text_is_known) /* catches: false alarms */
{
    struct image *file = build_kernel("file", "0x1003", "nop", "");
    struct image *runs = build_kernel("runs", "0x1063", "nop", "");
    struct guest g = told_by(runs, 0x200000);
    struct remarks remarks = {0};
    uint64_t slide;
    struct err e;

    CHECK_EQ(identity_kernel(&g, runs), IDENTITY_SAME);
    CHECK_EQ(identity_kernel(&g, file), IDENTITY_LIKELY);
    CHECK_EQ(identity_check(&g, file, &slide, &remarks, &e), 0);
    CHECK_EQ(slide, 0x200000);
    CHECK_EQ(remarks.count, 1);
    CHECK(!remarks.list[0].warning);
    CHECK(strstr(remarks.list[0].text, "all addresses agree") != NULL);

    g.code = 0; /* an agent of 2.0: the code alone can tell */
    CHECK_EQ(identity_kernel(&g, file), IDENTITY_DOUBTFUL);
    CHECK_EQ(identity_check(&g, file, &slide, &remarks, &e), 0);
    CHECK_EQ(remarks.count, 2);
    CHECK(remarks.list[1].warning);
    image_close(file);
    image_close(runs);
}

/* Catches: wrong names without a word */
TEST(another_build_is_told_by_its_addresses)
{
    struct image *file = build_kernel("file", "0x1003", "nop", "");
    struct image *longer = build_kernel("longer", "0x1003", "nop; nop", "");
    struct image *more =
        build_kernel("more", "0x1003", "nop", ".skip 4096, 0x90");
    struct guest g = told_by(longer, 0);
    struct remarks remarks = {0};
    uint64_t slide;
    struct err e;

    CHECK_EQ(identity_kernel(&g, longer), IDENTITY_SAME);
    CHECK_EQ(identity_kernel(&g, file), IDENTITY_DOUBTFUL);
    CHECK_EQ(identity_check(&g, file, &slide, &remarks, &e), 0);
    CHECK_EQ(remarks.count, 1);
    CHECK(remarks.list[0].warning);
    CHECK(strstr(remarks.list[0].text, "another build") != NULL);
    /* as if the part of text that is compared were the same */
    CHECK_EQ(image_text_crc(file, g.text_start, g.text_size, &g.text_crc), 0);
    CHECK_EQ(identity_kernel(&g, file), IDENTITY_DOUBTFUL);
    CHECK_EQ(identity_check(&g, file, &slide, &remarks, &e), 0);
    CHECK_EQ(remarks.count, 2);

    g = told_by(more, 0);
    g.anchor -= 4096; /* as if no data had moved */
    g.directory -= 4096;
    CHECK_EQ(identity_kernel(&g, file), IDENTITY_DOUBTFUL);
    image_close(file);
    image_close(longer);
    image_close(more);
}

TEST(any_text_may_be_claimed) /* catches: reads behind the file */
{
    static const uint64_t edges[] = {0,          1,         KERNEL_TEXT - 1,
                                     0x1fff,     0x200126,  0x7fffffffffffffff,
                                     UINT64_MAX, 1ull << 63};
    struct image *kernel = open_image(KERNEL);
    struct guest_map map = {.has_text_crc = true};
    struct guest g = {.has_text_crc = true};
    struct remarks remarks = {0};
    uint64_t slide;
    struct err e;

    for (size_t i = 0; i < 8; i++) {
        for (size_t j = 0; j < 8; j++) {
            g.text_start = map.link_start = edges[i];
            g.text_size = map.size = edges[j];
            CHECK_EQ(identity_check(&g, kernel, &slide, &remarks, &e), 0);
            CHECK_EQ(slide, 0);
            if (map.size != 0)
                CHECK_EQ(identity_map(&map, kernel), IDENTITY_OTHER);
        }
    }
    image_close(kernel);
}

TEST(an_application_is_known_by_id_then_code_then_name)
{
    struct image *kernel = open_image(KERNEL), *app = open_image(APP);
    struct guest_map map = {
        .size = KERNEL_SIZE, .link_start = KERNEL_TEXT, .name = "app"};

    memcpy(map.build_id, kernel_id, 20);
    map.build_id_len = 20;
    CHECK_EQ(identity_map(&map, kernel), IDENTITY_SAME); /* whatever its name */
    CHECK_EQ(identity_map(&map, app), IDENTITY_OTHER);
    for (map.build_id_len = 19; map.build_id_len <= 21; map.build_id_len += 2)
        CHECK_EQ(identity_map(&map, kernel), IDENTITY_OTHER);
    map.build_id_len = 0;
    map.has_text_crc = true;
    map.text_crc = KERNEL_CRC;
    CHECK_EQ(identity_map(&map, kernel), IDENTITY_SAME);
    CHECK_EQ(identity_map(&map, app), IDENTITY_DOUBTFUL); /* no such address */
    map.text_crc ^= 1;
    CHECK_EQ(identity_map(&map, kernel), IDENTITY_OTHER);
    map.link_start = APP_TEXT;
    map.size = APP_SIZE;
    CHECK_EQ(identity_map(&map, app), IDENTITY_OTHER); /* its code differs */
    map.size = 0x100000; /* what was mapped goes on behind the file's text */
    CHECK_EQ(identity_map(&map, app), IDENTITY_DOUBTFUL);
    map.has_text_crc = false;
    CHECK_EQ(identity_map(&map, app), IDENTITY_DOUBTFUL);
    CHECK_EQ(identity_map(&map, kernel), IDENTITY_OTHER);
    image_close(kernel);
    image_close(app);
}

TEST(names_are_compared_without_folders_and_endings)
{
    static const struct {
        const char *told, *file;
        bool same;
    } cases[] = {
        {"app", "app", true},
        {"/bin/app", "app.elf", true},
        {"app.so", "app.so.debug", true},
        {"app", "app.elf.debug", true},
        {"app.efi", "app.debug", true},
        {"app", "app2", false},
        {"ap", "app", false},
        {"", "app", false},
        {"/", "app", false},
        {".elf", ".elf", true},
        {".elf", "app.elf", false},
        {"app.txt", "app", false},
    };
    char dir[] = "/tmp/test_identity.XXXXXX", path[64];
    struct guest_map map = {.size = 1};

    CHECK(mkdtemp(dir) != NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, cases[i].file);
        CHECK_EQ(symlink(APP, path), 0);
        struct image *img = open_image(path);

        (void)snprintf(map.name, sizeof map.name, "%s", cases[i].told);
        if (identity_same_name(&map, img) != cases[i].same)
            check_failed(__FILE__, __LINE__, "'%s' and '%s'", cases[i].told,
                         cases[i].file);
        image_close(img);
        unlink(path);
    }
    rmdir(dir);
}
