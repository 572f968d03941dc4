/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tprof_init_efi() reads in the headers of an image in memory. The headers
 * are by the PE specification. That firmware loads such images is proven by
 * tests/guest/efi.
 */
#include <string.h>

#include "check.h"
#include "state/agent.h"
#include "tprof/efi.h"

#define PE      0x80u
#define ENTRY   0x2010u /* in the second section */
#define SECTION (PE + 24 + 240)

static _Alignas(4096) uint8_t image[16384];
static _Alignas(4096) uint8_t memory[1 << 18];
static struct tprof_config config;
static uint32_t vector;

static void put(uint32_t at, uint64_t value, size_t size)
{
    memcpy(image + at, &value, size);
}

static void put_section(uint32_t number, uint32_t address, uint32_t size)
{
    put(SECTION + 40 * number + 8, size, 4);
    put(SECTION + 40 * number + 12, address, 4);
}

static int open_nothing(void *context)
{
    (void)context;
    return 0;
}

static int send_nothing(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    return (int)size;
}

static const struct tprof_channel channel = {.open = open_nothing,
                                             .send = send_nothing};

/* An image with two sections, the second of which is code. */
static void build(void)
{
    put(0, 0x5a4d, 2);
    put(0x3c, PE, 4);
    put(PE, 0x4550, 4);
    put(PE + 6, 2, 2);      /* sections */
    put(PE + 20, 240, 2);   /* bytes of the optional header */
    put(PE + 24, 0x20b, 2); /* which is one of 64 bits */
    put(PE + 40, ENTRY, 4);
    put(PE + 80, sizeof image, 4);
    put(PE + 132, 16, 4); /* directories */
    put_section(0, 0x1000, 0x400);
    put_section(1, 0x2000, 0x600);
    config = (struct tprof_config){.version = TPROF_CONFIG_VERSION,
                                   .memory = memory,
                                   .memory_size = sizeof memory,
                                   .ring_bytes = 4096,
                                   .dict_slots = 64,
                                   .cpus = 1,
                                   .channel = &channel};
}

TEST(text_is_the_section_of_the_entry_point)
{
    build();
    CHECK_EQ(tprof_init_efi(&config, image), TPROF_OK);
    CHECK(tprof_agent.image.text_start == image + 0x2000);
    CHECK(tprof_agent.image.text_end == image + 0x2600);
    CHECK(tprof_agent.image.image_start == image);
    CHECK(tprof_agent.image.image_end == image + sizeof image);
    CHECK(tprof_agent.image.build_id == NULL);
    CHECK_EQ(tprof_agent.config.vector, 239);
}

TEST(image_that_is_none_is_refused) /* catches: reading on regardless */
{
    build();
    put(0, 0x4d5a, 2);
    CHECK_EQ(tprof_init_efi(&config, image), TPROF_ERR_TEXT);
    build();
    put(PE, 0, 4);
    CHECK_EQ(tprof_init_efi(&config, image), TPROF_ERR_TEXT);
    build();
    put(PE + 24, 0x10b, 2); /* of 32 bits */
    CHECK_EQ(tprof_init_efi(&config, image), TPROF_ERR_TEXT);
}

static void put_note(uint32_t at, uint32_t size)
{
    put(at, 4, 4);
    put(at + 4, size, 4);
    put(at + 8, 3, 4);
    memcpy(image + at + 12, "GNU", 4);
}

TEST(build_id_is_a_section_of_an_elf_note)
{
    build();
    put_note(0x1000, 20);
    CHECK_EQ(tprof_init_efi(&config, image), TPROF_OK);
    CHECK(tprof_agent.image.build_id == image + 0x1000);
    CHECK(tprof_agent.image.build_id_end == image + 0x1000 + 36);
}

TEST(note_that_leaves_its_section_is_none) /* catches: lengths believed */
{
    build();
    put_note(0x1000, 20);
    put_section(0, 0x1000, 35);
    CHECK_EQ(tprof_init_efi(&config, image), TPROF_OK);
    CHECK(tprof_agent.image.build_id == NULL);
}

TEST(note_longer_than_any_build_id_is_none)
{
    build();
    put_note(0x1000, 65);
    put_section(1, 0x2000, 16); /* too short for any */
    put(PE + 40, 0x2001, 4);
    CHECK_EQ(tprof_init_efi(&config, image), TPROF_OK);
    CHECK(tprof_agent.image.build_id == NULL);
}

/* Two entries of a debug directory; the second has the GUID. */
static void put_guid(void)
{
    put(PE + 184, 0x3000, 4);
    put(PE + 188, 2 * 28, 4);
    put(0x3000 + 12, 4, 4); /* of another kind */
    put(0x301c + 12, 2, 4);
    put(0x301c + 16, 24, 4);
    put(0x301c + 20, 0x3100, 4);
    /* bytes, no text. NOLINTNEXTLINE(bugprone-not-null-terminated-result) */
    memcpy(image + 0x3100, "RSDS0123456789abcdef", 20);
}

TEST(build_id_is_the_guid_of_the_debug_directory)
{
    build();
    put_guid();
    CHECK_EQ(tprof_init_efi(&config, image), TPROF_OK);
    const uint8_t *note = tprof_agent.image.build_id;
    const uint8_t *end = tprof_agent.image.build_id_end;

    CHECK(note != NULL);
    CHECK_EQ(end - note, 32);
    CHECK_MEM(note + 16, "0123456789abcdef", 16);
}

TEST(image_without_directories_has_no_guid)
{
    build();
    put_guid();
    put(PE + 132, 6, 4);
    CHECK_EQ(tprof_init_efi(&config, image), TPROF_OK);
    CHECK(tprof_agent.image.build_id == NULL);
}

static int install(void *context, uint32_t number, void (*entry)(void))
{
    (void)context;
    (void)entry;
    vector = number;
    return TPROF_OK;
}

TEST(vector_of_the_kernel_is_kept)
{
    build();
    config.vector = 64;
    config.install_vector = install;
    CHECK_EQ(tprof_init_efi(&config, image), TPROF_OK);
    CHECK_EQ(tprof_start_cpu(), TPROF_OK);
    CHECK_EQ(vector, 64);
}

TEST(vector_is_taken_from_whoever_has_it)
{
    build();
    CHECK_EQ(tprof_init_efi(&config, image), TPROF_OK);
    CHECK(tprof_agent.config.install_vector != NULL);
    CHECK_EQ(tprof_start_cpu(), TPROF_OK);
}
