/* SPDX-License-Identifier: BSD-2-Clause */
/* What a profile keeps of the images that a guest, which may lie, maps. */
#include "aggregate/aggregate.h"

#include "check.h"

static const struct guest with_text = {
    .cores = 4, .tsc_hz = 1000000, .text_start = 0x1000, .text_size = 0x1000};

static struct guest_map map_at(uint64_t start, uint64_t size)
{
    return (struct guest_map){.start = start, .size = size, .name = "app"};
}

static enum maps_answer tell(struct aggregate *a, uint64_t start, uint64_t size)
{
    struct guest_map map = map_at(start, size);

    return aggregate_map(a, &map);
}

TEST(maps_are_kept_in_order_and_once)
{
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});

    aggregate_hello(a, HELLO_FIRST, &with_text);
    CHECK_EQ(tell(a, 0x5000, 0x1000), MAPS_TAKEN);
    CHECK_EQ(tell(a, 0x3000, 0x2000), MAPS_TAKEN); /* up to it */
    CHECK_EQ(tell(a, 0x2000, 1), MAPS_TAKEN);      /* right behind text */
    CHECK_EQ(tell(a, 0xfff, 1), MAPS_TAKEN);       /* and before it */
    aggregate_hello(a, HELLO_SESSION, &with_text);
    CHECK_EQ(tell(a, 0x5000, 0x1000), MAPS_TAKEN); /* told again */
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->map_count, 4);
    CHECK_EQ(p->maps[0].start, 0xfff);
    CHECK_EQ(p->maps[1].start, 0x2000);
    CHECK_EQ(p->maps[2].start, 0x3000);
    CHECK_EQ(p->maps[3].start, 0x5000);
    CHECK_EQ(p->refused_maps, 0);
    aggregate_free(a);
}

TEST(maps_that_overlap_are_refused) /* catches: an address in two images */
{
    static const struct {
        uint64_t start, size;
    } bad[] = {
        {0x5000, 0x1001},
        {0x5000, 0xfff},
        {0x4fff, 2},
        {0x5fff, 1},
        {0x5500, 0x10},
        {0x4000, 0x3000},
        {1, UINT64_MAX - 1},
        {0x1000, 0x1000},
        {0x1fff, 1},
        {0x800, 0x801},
        {0x1800, 0x10},
        {0x100, 0x4000},
        {0x5fff, 0 - 0x5fffull}, /* to the end of memory */
    };
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});
    struct guest_map other = map_at(0x5000, 0x1000);

    aggregate_hello(a, HELLO_FIRST, &with_text);
    CHECK_EQ(tell(a, 0x5000, 0x1000), MAPS_TAKEN);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_EQ(tell(a, bad[i].start, bad[i].size), MAPS_REFUSED);
    other.build_id_len = 1; /* something else at the same place */
    CHECK_EQ(aggregate_map(a, &other), MAPS_REFUSED);
    other = map_at(0x5000, 0x1000);
    other.has_text_crc = true;
    CHECK_EQ(aggregate_map(a, &other), MAPS_REFUSED);
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->map_count, 1);
    CHECK_EQ(p->refused_maps, sizeof bad / sizeof bad[0] + 2);
    CHECK_EQ(p->maps[0].build_id_len, 0);
    aggregate_free(a);
}

TEST(maps_with_other_code_are_others) /* catches: one taken for the last */
{
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});
    struct guest_map map = map_at(0x5000, 0x1000);

    map.has_text_crc = true;
    map.text_crc = 1;
    aggregate_hello(a, HELLO_FIRST, &with_text);
    CHECK_EQ(aggregate_map(a, &map), MAPS_TAKEN);
    map.text_crc = 2;
    CHECK_EQ(aggregate_map(a, &map), MAPS_REFUSED);
    map.text_crc = 1;
    CHECK_EQ(aggregate_map(a, &map), MAPS_TAKEN);
    CHECK_EQ(aggregate_profile(a)->refused_maps, 1);
    aggregate_free(a);
}

TEST(a_thousand_maps_are_too_many)
{
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});

    aggregate_hello(a, HELLO_FIRST, &with_text);
    for (uint64_t i = 1000; i > 0; i--)
        CHECK_EQ(tell(a, 0x10000 * i, 0x10000),
                 i > 1000 - GUEST_MAPS_MAX ? MAPS_TAKEN : MAPS_REFUSED);
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->map_count, GUEST_MAPS_MAX);
    CHECK_EQ(p->refused_maps, 1000 - GUEST_MAPS_MAX);
    aggregate_free(a);
}

TEST(maps_of_the_boot_before_stay_until_one_contradicts)
{
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});

    aggregate_hello(a, HELLO_FIRST, &with_text);
    CHECK_EQ(tell(a, 0x5000, 0x1000), MAPS_TAKEN);
    CHECK_EQ(tell(a, 0x8000, 0x1000), MAPS_TAKEN);
    aggregate_hello(a, HELLO_REBOOT, &with_text);
    CHECK_EQ(tell(a, 0x5000, 0x1000), MAPS_TAKEN);
    CHECK_EQ(tell(a, 0x5800, 0x1000), MAPS_REFUSED); /* by this boot's own */
    CHECK_EQ(tell(a, 0x8800, 0x1000), MAPS_OTHER_IMAGE);
    CHECK_EQ(aggregate_profile(a)->map_count, 2);
    CHECK_EQ(aggregate_profile(a)->refused_maps, 1);
    aggregate_free(a);
}

TEST(maps_keep_their_boot_when_others_come_before_them)
{
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});

    aggregate_hello(a, HELLO_FIRST, &with_text);
    CHECK_EQ(tell(a, 0x8000, 0x1000), MAPS_TAKEN);
    aggregate_hello(a, HELLO_REBOOT, &with_text);
    CHECK_EQ(tell(a, 0x9000, 0x1000), MAPS_TAKEN);
    CHECK_EQ(tell(a, 0x5000, 0x1000), MAPS_TAKEN);
    CHECK_EQ(tell(a, 0x8800, 0x100), MAPS_OTHER_IMAGE);
    CHECK_EQ(tell(a, 0x9800, 0x100), MAPS_REFUSED);
    CHECK_EQ(tell(a, 0x5800, 0x100), MAPS_REFUSED);
    aggregate_free(a);
}
