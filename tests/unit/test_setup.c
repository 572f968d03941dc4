/* SPDX-License-Identifier: BSD-2-Clause */
/* tprof_init(): which memory may be read. */
#include <string.h>

#include "check.h"
#include "machine.h"
#include "state/agent.h"
#include "tprof/tprof.h"

#define IMAGE 0x200000u
#define SIZE  0x10000u
#define END   (IMAGE + SIZE)

static uint8_t text[64], memory[TPROF_MEMORY(1)];
static uint64_t hole; /* a byte that is not mapped; 0: none */

static int open_never(void *context)
{
    (void)context;
    return 0;
}

static bool faults(uint64_t start, uint64_t size, bool write)
{
    (void)write;
    return hole - start < size;
}

static const struct tprof_channel channel = {.open = open_never};
static const struct tprof_machine_hooks hooks = {.faults = faults};

/* Prepares an agent in an image, with (ranges) of config.readable, and compares
 * what it may read with (expected), up to an entry of size 0. The lowest range
 * must be the first. */
static void reads(const struct tprof_range *ranges,
                  const struct tprof_range *expected)
{
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .memory = memory,
        .memory_size = sizeof memory,
        .channel = &channel,
        .text = {(uintptr_t)text, sizeof text},
    };
    const struct tprof_image image = {
        .image_start = (const void *)(uintptr_t)IMAGE,
        .image_end = (const void *)(uintptr_t)END,
    };
    const struct tprof_bounds *b = &tprof_agent.bounds;
    size_t count = 0;
    uint64_t end = 0;

    memcpy(config.readable, ranges, sizeof config.readable);
    tprof_machine = (struct tprof_machine){.hooks = &hooks};
    tprof_agent.ready = 0;
    CHECK_EQ(tprof_init_image(&config, &image), TPROF_OK);
    for (; expected[count].size > 0; count++) {
        CHECK_EQ(b->readable[count].start, expected[count].start);
        CHECK_EQ(b->readable[count].size, expected[count].size);
        if (expected[count].start + expected[count].size > end)
            end = expected[count].start + expected[count].size;
    }
    CHECK_EQ(b->readable[count].size, 0);
    CHECK_EQ(b->extent, end - expected[0].start);
}

#define RANGES (const struct tprof_range[TPROF_RANGES + 2])

TEST(the_image_may_be_read_besides_what_config_names)
{
    reads(RANGES{{0, 0}}, RANGES{{IMAGE, SIZE}});
    reads(RANGES{{0x1000, 0x1000}}, RANGES{{0x1000, 0x1000}, {IMAGE, SIZE}});
    reads(RANGES{{0x1000, IMAGE - 0x1000}, {END, 0x1000}},
          RANGES{{0x1000, IMAGE - 0x1000}, {END, 0x1000}, {IMAGE, SIZE}});
    reads(RANGES{{1, 1}, {3, 1}, {5, 1}, {7, 1}},
          RANGES{{1, 1}, {3, 1}, {5, 1}, {7, 1}, {IMAGE, SIZE}});
    reads(
        RANGES{{END, 1}, {END + 2, 1}, {END + 4, 1}, {END + 6, 1}},
        RANGES{
            {IMAGE, SIZE}, {END, 1}, {END + 2, 1}, {END + 4, 1}, {END + 6, 1}});
}

/* Catches: reading what the kernel says must not be read */
TEST(ranges_in_the_image_say_what_of_it_may_be_read)
{
    reads(RANGES{{IMAGE, 0x1000}, {IMAGE + 0x2000, 0x1000}},
          RANGES{{IMAGE, 0x1000}, {IMAGE + 0x2000, 0x1000}});
    reads(RANGES{{IMAGE - 1, 2}}, RANGES{{IMAGE - 1, 2}});
    reads(RANGES{{END - 1, 0x1000}}, RANGES{{END - 1, 0x1000}});
    reads(RANGES{{0x1000, 0x10000000}}, RANGES{{0x1000, 0x10000000}});
}

TEST(an_image_with_a_hole_is_read_beside_it) /* catches: a fault in a tick */
{
    hole = IMAGE + 0x5000;
    reads(RANGES{{0, 0}},
          RANGES{{IMAGE, 0x5000}, {IMAGE + 0x6000, SIZE - 0x6000}});
    reads(RANGES{{0x1000, 0x1000}}, RANGES{{0x1000, 0x1000},
                                           {IMAGE, 0x5000},
                                           {IMAGE + 0x6000, SIZE - 0x6000}});
    reads(RANGES{{END, 0x1000}}, RANGES{{IMAGE, 0x5000},
                                        {IMAGE + 0x6000, SIZE - 0x6000},
                                        {END, 0x1000}});
    hole = END;
    reads(RANGES{{0, 0}}, RANGES{{IMAGE, SIZE}});
}
