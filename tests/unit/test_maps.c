/* SPDX-License-Identifier: BSD-2-Clause */
/* What a profile keeps of the images that a guest, which may lie, maps. */
#include "profile/aggregate/aggregate.h"

#include <string.h>

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

/* (name) at (start), from generation (since) to before (until). */
static enum maps_answer tell_stay(struct aggregate *a, const char *name,
                                  uint64_t start, uint32_t since,
                                  uint32_t until)
{
    struct guest_map map = map_at(start, 0x1000);

    map.name[0] = name[0];
    map.since = since;
    map.until = until;
    return aggregate_map(a, &map);
}

/* A sample at (leaf), which was called from (caller), in (generation). */
static void sample_in(struct aggregate *a, uint32_t generation, uint64_t leaf,
                      uint64_t caller)
{
    struct sample s = {.tsc = 10, .leaf = leaf, .weight = 1};

    s.stack = aggregate_stack(a, 0,
                              &(struct stack){.frames = &caller,
                                              .depth = 1,
                                              .loaded = leaf - 0x1000 >= 0x1000,
                                              .generation = generation});
    aggregate_samples(
        a, &(struct sample_batch){.period = 1, .samples = &s, .count = 1});
}

/* The name of the image of (p) that (address) lies in; 0: of none. */
static char image_of(const struct profile *p, uint64_t address)
{
    for (size_t i = 0; i < p->map_count; i++)
        if (address - p->maps[i].start < p->maps[i].size)
            return p->maps[i].name[0];
    return 0;
}

/* The images in which entries' leaves and callers lie: "aA" for each, "." for
 * none. */
static const char *where_samples_are(struct aggregate *a)
{
    static char text[64];
    const struct profile *p = aggregate_profile(a);
    size_t used = 0;

    for (size_t i = 0; i < p->cores[0].entry_count; i++) {
        const struct profile_entry *e = &p->cores[0].entries[i];
        char leaf = image_of(p, e->leaf);
        char caller = image_of(p, profile_stack(p, e->stack).frames[0] - 1);

        text[used++] = leaf != 0 ? leaf : '.';
        text[used++] = caller != 0 ? caller : '.';
    }
    text[used] = '\0';
    return text;
}

/* Catches: the second of two images at one place, named like the first */
TEST(images_in_one_place_are_told_apart_by_generation)
{
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});

    aggregate_hello(a, HELLO_FIRST, &with_text);
    CHECK_EQ(tell_stay(a, "a", 0x5000, 0, 0), MAPS_TAKEN);
    sample_in(a, 0, 0x5400, 0x1200);
    sample_in(a, 0, 0x1400, 0x6000); /* behind its last call */
    sample_in(a, 1, 0x5400, 0x1200); /* before its MAP */
    CHECK_EQ(tell_stay(a, "b", 0x5800, 1, 0), MAPS_TAKEN);
    sample_in(a, 1, 0x5900, 0x5a00);
    sample_in(a, 0, 0x5900, 0x5a00); /* from a core that is behind */
    CHECK_EQ(tell_stay(a, "a", 0x5000, 2, 0), MAPS_TAKEN);
    sample_in(a, 2, 0x5900, 0x5a00);
    sample_in(a, GENERATION_NONE, 0x5904, 0x5a00);
    CHECK_STR(where_samples_are(a), "a..a..bbaaaaaa");
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->map_count, 2);
    CHECK_EQ(p->refused_maps, 0);
    for (size_t i = 0; i < 2; i++) /* where no code is: no sample is there */
        CHECK(p->maps[i].start >> 48 != 0 && p->maps[i].start >> 48 != 0xffff);
    /* offsets in the image stay as they are */
    CHECK_EQ(p->cores[0].entries[0].leaf % 0x1000, 0x400);
    CHECK_STR(where_samples_are(a), "a..a..bbaaaaaa"); /* asked again */
    aggregate_free(a);
}

/* Catches: samples of what ran where an application had been, named like it */
TEST(an_image_that_has_gone_has_no_more_samples)
{
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});

    aggregate_hello(a, HELLO_FIRST, &with_text);
    CHECK_EQ(tell_stay(a, "a", 0x5000, 0, 0), MAPS_TAKEN);
    CHECK_EQ(tell_stay(a, "b", 0x7000, 0, 0), MAPS_TAKEN);
    CHECK_EQ(tell_stay(a, "a", 0x5000, 0, 1), MAPS_TAKEN);
    CHECK_EQ(tell_stay(a, "c", 0x5000, 0, 1), MAPS_TAKEN); /* long ago */
    sample_in(a, 0, 0x5400, 0x7400);
    sample_in(a, 1, 0x5400, 0x7400);
    CHECK_STR(where_samples_are(a), "ab.b");
    const struct profile *p = aggregate_profile(a);

    CHECK_EQ(p->map_count, 2);
    CHECK_EQ(p->maps[0].start, 0x7000); /* the other one is where it was */
    aggregate_free(a);
}

TEST(generations_of_another_boot_are_others) /* catches: boots mixed up */
{
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});

    aggregate_hello(a, HELLO_FIRST, &with_text);
    CHECK_EQ(tell_stay(a, "a", 0x5000, 0, 0), MAPS_TAKEN);
    CHECK_EQ(tell_stay(a, "b", 0x5000, 1, 0), MAPS_TAKEN);
    sample_in(a, 1, 0x5400, 0x1200);
    aggregate_hello(a, HELLO_REBOOT, &with_text);
    CHECK_EQ(tell_stay(a, "b", 0x5000, 0, 0), MAPS_TAKEN);
    sample_in(a, 0, 0x5400, 0x1200);
    CHECK_EQ(tell_stay(a, "a", 0x5000, 1, 0), MAPS_TAKEN);
    sample_in(a, 1, 0x5400, 0x1200);
    CHECK_STR(where_samples_are(a), "b.b.a.");
    CHECK_EQ(tell_stay(a, "c", 0x5800, 2, 0), MAPS_TAKEN);
    aggregate_free(a);
}

/* Catches: time and memory without a bound, for a guest that lies */
TEST(many_comings_and_goings_are_bounded)
{
    struct aggregate *a = aggregate_new(&(struct aggregate_config){0});

    aggregate_hello(a, HELLO_FIRST, &with_text);
    for (uint32_t i = 0; i < 5000; i++)
        (void)tell_stay(a, i % 2 ? "a" : "b", 0x5000, i, 0);
    sample_in(a, 3, 0x5400, 0x1200);
    CHECK_STR(where_samples_are(a), "a.");
    CHECK(aggregate_profile(a)->refused_maps > 1000);
    aggregate_free(a);
    a = aggregate_new(&(struct aggregate_config){0});
    aggregate_hello(a, HELLO_FIRST, &with_text);
    for (uint32_t i = 0; i < 5000; i++) /* one application again and again */
        CHECK_EQ(tell_stay(a, "a", 0x5000, i, i + 1), i ? MAPS_TAKEN : 0);
    aggregate_free(a);
}
