/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder on guests with further images: MAP, and stacks of theirs. */
#include "check.h"

#include <string.h>

#include "decoded.h"
#include "vectors.h"

TEST(hand_written_map_is_read) /* catches: fields mixed up */
{
    struct wiregen w = {0};

    wiregen_bytes(&w, vector_hello, sizeof vector_hello);
    wiregen_bytes(&w, vector_map, sizeof vector_map);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(seen.maps, 1);
    CHECK_EQ(seen.map.start, VECTOR_IMAGE);
    CHECK_EQ(seen.map.size, 0x20000);
    CHECK_EQ(seen.map.link_start, 0x1000);
    CHECK_STR(seen.map.name, "app.elf");
    CHECK_EQ(seen.map.build_id_len, 4);
    CHECK_MEM(seen.map.build_id, "\xb1\xd0\x03\x04", 4);
    CHECK(!seen.map.has_text_crc);
    wiregen_fini(&w);
}

TEST(map_of_a_long_name_and_a_crc_is_read) /* catches: an overflow by a name */
{
    struct wiregen w = hello_stream();
    char name[200] = {0};

    memset(name, 'n', sizeof name - 1);
    wiregen_map(&w, &(struct wiregen_map){.start = 1ull << 63,
                                          .size = (1ull << 63) - 1,
                                          .name = name,
                                          .text_crc = 0xfedcba98});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(strlen(seen.map.name), sizeof seen.map.name - 1);
    CHECK_EQ(seen.map.start + seen.map.size, UINT64_MAX);
    CHECK_EQ(seen.map.build_id_len, 0);
    CHECK(seen.map.has_text_crc);
    CHECK_EQ(seen.map.text_crc, 0xfedcba98);
    wiregen_fini(&w);
}

TEST(map_is_named_as_its_file) /* catches: folders that leave no room for it */
{
    struct wiregen w = hello_stream();
    char name[200];

    memset(name, 'n', sizeof name);
    memcpy(name + sizeof name - 9, "/app.elf", 9);
    name[0] = '/';
    wiregen_map(
        &w, &(struct wiregen_map){.start = 4096, .size = 4096, .name = name});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_STR(seen.map.name, "app.elf");
    wiregen_fini(&w);
}

static void expect_bad_map(const void *body, size_t size, const char *why)
{
    struct wiregen w = hello_stream();

    wiregen_open(&w, WIRE_MAP);
    wiregen_bytes(&w, body, size);
    wiregen_close(&w);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.maps, 0);
    CHECK_EQ(health.malformed, 1);
    if (!strstr(health.first_malformed, why))
        CHECK_STR(health.first_malformed, why);
    wiregen_fini(&w);
}

TEST(bad_maps_are_refused) /* catches: an end before its start */
{
    char id[8 + 65 - 1] = "\x01\x01\x01\x02\x01\x01\x05\x41";

    expect_bad_map("", 0, "impossible range");
    expect_bad_map("\x01\x01\x01", 3, "impossible range");
    expect_bad_map("\x02\x01\x01", 3, "impossible range");
    expect_bad_map("\x01\x01\x01\x02\x08\xff\xff\xff\xff\xff\xff\xff\xff", 13,
                   "impossible range");
    expect_bad_map("\x01\x01\x01\x02\x02\x01", 6, "MAP ends");
    expect_bad_map(id, sizeof id, "MAP ends");
    expect_bad_map(id, 70, "MAP ends");
}

TEST(map_with_a_long_build_id_is_refused) /* catches: an overflow by an id */
{
    char body[6 + 2 + 65] = "\x01\x01\x01\x02\x01\x01\x05\x41";

    expect_bad_map(body, sizeof body, "longer than 64");
}

TEST(hand_written_stack_at_is_read) /* catches: a base that is not added */
{
    struct wiregen w = {0};

    wiregen_bytes(&w, vector_hello, sizeof vector_hello);
    wiregen_bytes(&w, vector_frame, sizeof vector_frame);
    wiregen_bytes(&w, vector_frame_at, sizeof vector_frame_at);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.frames, 3);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(seen.stacks_n, 3);
    const struct seen_stack *s = &seen.stacks[2];

    CHECK_EQ(s->stack.end, WIRE_END_ZERO);
    CHECK_EQ(s->stack.slot_mask, 1);
    CHECK_EQ(s->stack.words[0], VECTOR_IMAGE + 0x300);
    CHECK_EQ(s->stack.depth, 2);
    CHECK_EQ(s->frames[0], VECTOR_IMAGE + 0x250);
    CHECK_EQ(s->frames[1], TEXT + 0x1100);
    CHECK_EQ(seen.samples_n, 3);
    CHECK_EQ(seen.samples[2].sample.leaf, VECTOR_IMAGE + 0x1234);
    CHECK_EQ(seen.samples[2].sample.stack, 3);
    CHECK_EQ(seen.account[1].violations, 0);
    wiregen_fini(&w);
}

TEST(wiregen_writes_the_image_vectors) /* catches: a generator that is wrong */
{
    static const uint64_t frames[] = {0x10000250, 0x1100};
    struct wiregen w = {.seq = 2};

    wiregen_samples_begin(&w, &(struct wiregen_samples){.core = 1,
                                                        .flags = 1,
                                                        .shift = 7,
                                                        .period = 7812,
                                                        .epoch = 3,
                                                        .time = 8000});
    wiregen_stack(&w, &(struct wiregen_stack){.base = 0x10000000,
                                              .id = 7,
                                              .mask = 1,
                                              .words = {0x10000300},
                                              .frames = frames,
                                              .count = 2});
    wiregen_short(&w, 7, 1000, 0x1234, 0);
    wiregen_samples_end(&w, (uint64_t[4]){3, 7, 300, 0});
    CHECK_EQ(w.size, sizeof vector_frame_at);
    CHECK_MEM(w.bytes, vector_frame_at, sizeof vector_frame_at);
    CHECK_MEM(w.bytes + 26, vector_stack_at, sizeof vector_stack_at);
    CHECK_MEM(w.bytes + 47, vector_short_at, sizeof vector_short_at);
    wiregen_fini(&w);
}

/* A frame of core 0 in (epoch), with (flags), open. */
static void open_samples(struct wiregen *w, uint8_t flags, uint16_t epoch)
{
    wiregen_samples_begin(
        w, &(struct wiregen_samples){
               .flags = flags, .shift = 4, .period = 8000, .epoch = epoch});
}

static void stack_at(struct wiregen *w, int64_t base, uint64_t id)
{
    static const uint64_t frame = 0x20;

    wiregen_stack(w, &(struct wiregen_stack){
                         .base = base, .id = id, .frames = &frame, .count = 1});
}

TEST(each_stack_has_the_base_it_was_defined_with) /* catches: one for all */
{
    struct wiregen w = hello_stream();

    open_samples(&w, 0, 1);
    stack_at(&w, 0, 1);
    stack_at(&w, 0x50000000000, 2);
    stack_at(&w, -0x100000, 3); /* below text */
    wiregen_short(&w, 1, 1, 0x11, 0);
    wiregen_short(&w, 2, 1, 0x22, 0);
    wiregen_short(&w, 3, 1, 0x33, 0);
    wiregen_long_sample(
        &w, &(struct wiregen_long){.id = 2, .leaf = 0x44, .weight = 1});
    stack_at(&w, 0, 2); /* that id is another stack from here on */
    wiregen_short(&w, 2, 1, 0x55, 0);
    wiregen_samples_end(&w, (uint64_t[4]){5, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(seen.samples[0].sample.leaf, TEXT + 0x11);
    CHECK_EQ(seen.samples[1].sample.leaf, 0x50000000000 + TEXT + 0x22);
    CHECK_EQ(seen.samples[2].sample.leaf, TEXT - 0x100000 + 0x33);
    CHECK_EQ(seen.samples[3].sample.leaf, TEXT + 0x44);
    CHECK_EQ(seen.samples[4].sample.leaf, TEXT + 0x55);
    CHECK_EQ(seen.account[0].unknown_stack, 0);
    wiregen_fini(&w);
}

/* After a gap: a short and a long sample of a stack that was lost, in a frame
 * with (flags). Returns the short one's leaf. */
static uint64_t leaf_after_gap(uint8_t flags)
{
    struct wiregen w = hello_stream();

    w.seq++; /* a frame that never came */
    open_samples(&w, flags, 1);
    wiregen_short(&w, 9, 1, 0x100, 0);
    wiregen_long_sample(
        &w, &(struct wiregen_long){.id = 9, .leaf = 0x200, .weight = 1});
    wiregen_samples_end(&w, (uint64_t[4]){2, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.samples_n, 2);
    CHECK_EQ(seen.samples[0].sample.stack, STACK_UNKNOWN);
    CHECK_EQ(seen.samples[1].sample.stack, STACK_UNKNOWN);
    CHECK_EQ(seen.samples[1].sample.leaf, TEXT + 0x200);
    CHECK_EQ(seen.account[0].unknown_stack, 2);
    wiregen_fini(&w);
    return seen.samples[0].sample.leaf;
}

/* Catches: an application's time in some function of the kernel */
TEST(leaf_of_a_lost_stack_is_not_invented)
{
    CHECK_EQ(leaf_after_gap(WIRE_SAMPLES_IMAGES), LEAF_UNKNOWN);
    /* a guest without further images: it can be in text only */
    CHECK_EQ(leaf_after_gap(0), TEXT + 0x100);
}

/* Catches: only the flag counts */
TEST(images_are_remembered_from_the_stack_on)
{
    struct wiregen w = hello_stream();

    open_samples(&w, 0, 1);
    stack_at(&w, 0x10000000, 2);
    wiregen_samples_end(&w, (uint64_t[4]){0, 0, 0, 0});
    w.seq++;
    open_samples(&w, 0, 1); /* no agent would leave the flag out here */
    wiregen_short(&w, 2, 1, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){1, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.samples[0].sample.leaf, LEAF_UNKNOWN);
    wiregen_fini(&w);
}

/* Catches: known time called unknown */
TEST(images_of_the_boot_before_are_forgotten)
{
    struct wiregen w = hello_stream();

    open_samples(&w, WIRE_SAMPLES_IMAGES, 1);
    wiregen_samples_end(&w, (uint64_t[4]){0, 0, 0, 0});
    wiregen_hello(
        &w, &(struct wiregen_hello){.boot = 2, .cores = 4, .text_start = TEXT});
    open_samples(&w, 0, 1);
    wiregen_short(&w, 9, 1, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){1, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.samples_n, 1);
    CHECK_EQ(seen.samples[0].sample.leaf, TEXT + 0x100);
    wiregen_fini(&w);
}

TEST(bad_stack_leaves_its_id_unknown) /* catches: the one before in its place */
{
    static const uint64_t frames[] = {0x20};
    struct wiregen w = hello_stream();

    open_samples(&w, 0, 1);
    stack_at(&w, 0, 5);
    wiregen_short(&w, 5, 1, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){1, 0, 0, 0});
    open_samples(&w, 0, 1);
    wiregen_stack(&w, &(struct wiregen_stack){
                          .id = 5, .shared = 9, .frames = frames, .count = 1});
    wiregen_samples_end(&w, (uint64_t[4]){1, 0, 0, 0});
    open_samples(&w, 0, 1);
    wiregen_short(&w, 5, 1, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){2, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 1);
    CHECK_EQ(seen.samples_n, 2);
    CHECK(seen.samples[0].sample.stack != STACK_UNKNOWN);
    CHECK_EQ(seen.samples[1].sample.stack, STACK_UNKNOWN);
    wiregen_fini(&w);
}

/* Frames of one STACK_AT each, of (count) images from the (first) on. */
static void many_images(struct wiregen *w, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        open_samples(w, 1, 1);
        stack_at(w, (int64_t)(i + 1) << 32, 5);
        wiregen_short(w, 5, 1, 0x100, 0);
        wiregen_samples_end(w, (uint64_t[4]){(uint64_t)(i - first) + 1});
    }
}

TEST(images_are_limited) /* catches: a table that hostile records overflow */
{
    struct wiregen w = hello_stream();

    many_images(&w, 0, WIRE_STACK_BASES_MAX + 2);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 2);
    CHECK_EQ(seen.samples_n, WIRE_STACK_BASES_MAX);
    for (uint64_t i = 0; i < WIRE_STACK_BASES_MAX; i++)
        CHECK_EQ(seen.samples[i].sample.leaf, TEXT + 0x100 + ((i + 1) << 32));
    wiregen_hello(
        &w, &(struct wiregen_hello){.boot = 2, .cores = 4, .text_start = TEXT});
    many_images(&w, 100, 1); /* another boot has images of its own */
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 2);
    CHECK_EQ(seen.samples[WIRE_STACK_BASES_MAX].sample.leaf,
             TEXT + 0x100 + (101ull << 32));
    wiregen_fini(&w);
}

static void expect_cut(const char body[5], const char *why)
{
    struct wiregen w = hello_stream();

    open_samples(&w, 0, 1);
    wiregen_long_begin(&w, WIRE_LONG_STACK_AT);
    wiregen_bytes(&w, body, 5);
    wiregen_long_end(&w);
    wiregen_samples_end(&w, (uint64_t[4]){0, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 1);
    if (!strstr(health.first_malformed, why))
        CHECK_STR(health.first_malformed, why);
    wiregen_fini(&w);
}

TEST(cut_stack_at_is_refused) /* catches: a base out of nothing */
{
    expect_cut("\x80\x80\x80\x80\x80", "a STACK_AT record is cut");
    expect_cut("\x80\x80\x80\x80\x01", "a STACK record is cut");
}

TEST(old_stacks_stay_forgotten) /* catches: generations that wrap */
{
    struct wiregen w = hello_stream();
    unsigned begins = 0;

    open_samples(&w, 0, 1);
    stack_at(&w, 0, 5);
    wiregen_samples_end(&w, (uint64_t[4]){0, 0, 0, 0});
    for (int frame = 0; frame < 257; frame++) {
        open_samples(&w, 0, 1);
        for (int i = 0; i < 255; i++, begins++)
            wiregen_begin(&w, 1, 4, 8000, 1);
        wiregen_short(&w, 5, 1, 0x100, 0);
        wiregen_samples_end(&w, (uint64_t[4]){(uint64_t)frame + 1, 0, 0, 0});
    }
    CHECK_EQ(begins, UINT16_MAX); /* one round of them, but 0 */
    CHECK_EQ(decode_pieces(w.bytes, w.size, w.size), 0);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(seen.samples_n, 257);
    CHECK_EQ(seen.account[0].unknown_stack, 257);
    wiregen_fini(&w);
}

/* A frame of core 0 in (epoch), with the BEGIN of (generation) if (begins), and
 * one sample in the image at (base). */
static void in_epoch(struct wiregen *w, uint16_t epoch, bool begins,
                     uint32_t generation, int64_t base, uint64_t samples)
{
    wiregen_samples_begin(
        w, &(struct wiregen_samples){.period = 1000, .epoch = epoch});
    if (begins)
        wiregen_begin_images(w, 1000, 0, 1000, epoch, generation);
    stack_at(w, base, 5);
    wiregen_short(w, 5, 1, 0x100, 0);
    wiregen_samples_end(w, (uint64_t[4]){samples});
}

/* Catches: an image charged with what another one did before it */
TEST(stacks_carry_the_generation_of_their_begin)
{
    struct wiregen w = hello_stream();

    in_epoch(&w, 1, true, 0, 1 << 20, 1);
    in_epoch(&w, 2, true, 300, 1 << 20, 2);
    in_epoch(&w, 2, false, 0, 1 << 20, 3);
    in_epoch(&w, 3, false, 0, 1 << 20, 4); /* its BEGIN was lost */
    in_epoch(&w, 4, true, 7, 1 << 20, 5);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(seen.stacks_n, 5);
    CHECK(seen.stacks[0].stack.loaded);
    CHECK_EQ(seen.stacks[0].stack.generation, 0);
    CHECK_EQ(seen.stacks[1].stack.generation, 300);
    CHECK_EQ(seen.stacks[2].stack.generation, 300);
    CHECK_EQ(seen.stacks[3].stack.generation, GENERATION_NONE);
    CHECK_EQ(seen.stacks[4].stack.generation, 7);
    wiregen_fini(&w);
}

TEST(begin_of_a_generation_is_as_by_hand)
{
    struct wiregen w = {0};

    wiregen_begin_images(&w, 1000000, 7, 7812, 3, 300);
    CHECK_EQ(w.size, sizeof vector_begin_images);
    CHECK_MEM(w.bytes, vector_begin_images, sizeof vector_begin_images);
    wiregen_fini(&w);
}

/* Catches: a kernel that loads its 65th application, which has no stacks */
TEST(every_epoch_has_bases_of_its_own)
{
    struct wiregen w = hello_stream();

    for (uint16_t i = 0; i < 4 * WIRE_STACK_BASES_MAX; i++)
        in_epoch(&w, i, true, i, (int64_t)(i + 1) << 32, i + 1u);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(seen.samples_n, 4 * WIRE_STACK_BASES_MAX);
    for (uint64_t i = 0; i < seen.samples_n; i++)
        CHECK_EQ(seen.samples[i].sample.leaf, TEXT + 0x100 + ((i + 1) << 32));
    wiregen_fini(&w);
}

TEST(map_tells_when_the_image_was_there)
{
    struct wiregen w = hello_stream();
    struct wiregen_map m = {VECTOR_IMAGE, 0x1000, 0, .since = 3, .until = 5};

    wiregen_map(&w, &m);
    m.until = 3; /* it went when it came */
    wiregen_map(&w, &m);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.maps, 1);
    CHECK_EQ(seen.map.since, 3);
    CHECK_EQ(seen.map.until, 5);
    CHECK_EQ(health.malformed, 1);
    wiregen_fini(&w);
}
