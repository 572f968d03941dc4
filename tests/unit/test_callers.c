/* SPDX-License-Identifier: BSD-2-Clause */
/* callers: the words on top of a stack, by hand. Catches: an invented caller, a
 * known one that is not told, a gap that is not. */
#include "image/names/hidden_callers.h"

#include "check.h"
#include "image/code/frame_place.h"
#include "image/file/image.h"
#include "image/names/image_map.h"
#include "input.h"
#include "profile/aggregate/aggregate.h"
#include "recording/names/frame_addresses.h"
#include "util/err.h"

#define SLIDE 0x10000u

static struct image *img;
static struct image_map *image_map;

/* The run-time address of label (name). */
static uint64_t at(const char *name)
{
    uint64_t address;

    CHECK(image_find_symbol(img, name, &address));
    return address + SLIDE;
}

static void begin(void)
{
    const char *path = input_build(
        "cc", "callers",
        "cc -nostdlib -static -no-pie -Wl,-e,framed $IN/callers.S -o $OUT");
    struct err e = {""};

    if (image_open(&img, path, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);

    const struct mapped_image kernel = {.frame_places =
                                            frame_places_new(img, 0)};

    CHECK(kernel.frame_places != NULL);
    image_map = image_map_new(&kernel, SLIDE);
    CHECK(image_map != NULL);
}

/* What is found where (words) lie on top of the stack; NULL: not in text. */
static struct hidden_callers find(const char *leaf, const char *const words[4])
{
    struct stack stack = {.end = WIRE_END_ZERO};

    for (unsigned i = 0; i < WIRE_STACK_SLOTS; i++) {
        if (words[i] == NULL)
            continue;
        stack.words[i] = at(words[i]);
        stack.slot_mask |= (uint8_t)(1u << i);
    }
    return hidden_callers_of_leaf(image_map, at(leaf), &stack);
}

/* These callers, innermost first, and no more. */
static void found(const char *leaf, const char *const words[4],
                  const char *first, const char *second, bool missing)
{
    const char *const names[] = {first, second};
    struct hidden_callers c = find(leaf, words);

    for (unsigned i = 0; i < 2 && names[i] != NULL; i++) {
        CHECK(c.count > i);
        CHECK_EQ(c.address[i], at(names[i]));
    }
    CHECK_EQ(c.count, (first != NULL) + (second != NULL));
    CHECK_EQ(c.missing, missing);
}

#define WORDS(...) ((const char *const[4]){__VA_ARGS__})

TEST(callers_by_words)
{
    begin();
    /* up to a function that has a frame, with which the walk began */
    found("at_first", WORDS("back_in_framed"), "back_in_framed", NULL, false);
    found("at_second", WORDS(NULL, "back_in_framed"), "back_in_framed", NULL,
          false);
    found("at_last", WORDS("back_in_framed"), "back_in_framed", NULL, false);
    found("at_leaf", WORDS("back_in_bare", NULL, NULL, "back_in_framed"),
          "back_in_bare", "back_in_framed", false);
    /* what lies there besides does not matter */
    found("at_second", WORDS("back_in_bare", "back_in_framed", "back_in_bare"),
          "back_in_framed", NULL, false);
    found("at_three", WORDS(NULL, NULL, NULL, "back_in_framed"),
          "back_in_framed", NULL, false);
    /* where words do not reach, there may be but one call */
    found("at_deeper", WORDS("back_in_bare", "back_in_bare"),
          "back_from_deeper", NULL, false);
    found("at_just", WORDS(NULL), "back_from_just", NULL, false);
    found("at_leaf", WORDS("back_in_deeper"), "back_in_deeper",
          "back_from_deeper", false);
    /* in the body of a function with a frame there is nothing to find */
    found("back_in_framed", WORDS("back_in_bare"), NULL, NULL, false);
}

TEST(callers_that_are_not_certain_are_missing)
{
    begin();
    found("at_four",
          WORDS("back_in_framed", "back_in_framed", "back_in_framed",
                "back_in_framed"),
          NULL, NULL, true);
    found("at_first", WORDS(NULL, "back_in_framed"), NULL, NULL, true);
    /* further out it is not told any more */
    found("at_leaf", WORDS("back_in_bare"), "back_in_bare", NULL, true);
    /* RBP was not its caller's */
    found("at_leaf", WORDS("back_in_cutting", NULL, "back_in_framed"),
          "back_in_cutting", "back_in_framed", true);
    /* not behind a call, or behind one of another function */
    found("at_first", WORDS("leaf"), NULL, NULL, true);
    found("at_first", WORDS("at_second"), NULL, NULL, true);
    found("at_first", WORDS("behind_framed"), NULL, NULL, true);
    found("at_taken", WORDS("back_in_framed"), NULL, NULL, true);
    found("at_either", WORDS("back_in_framed", "back_in_framed"), NULL, NULL,
          true);
    found("at_middle", WORDS("back_in_framed"), NULL, NULL, true);
    found("at_uneven", WORDS("back_in_framed"), NULL, NULL, true);
    found("at_interrupt_end", WORDS("back_in_framed"), NULL, NULL, true);
}

TEST(callers_of_labels_without_size_are_found_by_their_ret)
{
    begin();
    found("at_unsized", WORDS("back_in_framed"), "back_in_framed", NULL, false);
    found("at_unsized_short", WORDS("back_in_framed"), "back_in_framed", NULL,
          false);
    found("at_unsized", WORDS(NULL, "back_in_framed"), NULL, NULL, true);
}

TEST(callers_of_frames_are_found_by_code)
{
    begin();
    struct hidden_callers c =
        hidden_callers_of_frame(image_map, at("back_in_deeper"));

    CHECK_EQ(c.count, 1);
    CHECK_EQ(c.address[0], at("back_from_deeper"));
    CHECK(!c.missing);
    c = hidden_callers_of_frame(image_map, at("back_in_framed"));
    CHECK(c.count == 0 && !c.missing);
    c = hidden_callers_of_frame(image_map, at("back_in_cutting"));
    CHECK(c.count == 0 && c.missing);
}

TEST(callers_may_be_in_another_image)
{
    begin();
    CHECK_EQ(
        image_map_add(image_map, &(const struct mapped_image){.name = "app"}),
        1);
    found("at_deeper", WORDS(NULL), NULL, NULL, true);
    found("at_first", WORDS("back_in_framed"), "back_in_framed", NULL, false);
}

/* A call may be the last instruction of its image. */
TEST(callers_may_return_behind_their_image)
{
    begin();
    uint64_t start = at("framed"), end = at("back_in_framed");
    uint64_t more = at("at_first");
    struct mapped_image app = *image_map_image(image_map, IMAGE_MAP_KERNEL);

    app.name = "app";
    image_map_free(image_map);
    image_map = image_map_new(&(const struct mapped_image){.name = NULL}, 0);
    CHECK(image_map != NULL);
    CHECK_EQ(image_map_add(image_map, &app), 1);
    CHECK_EQ(image_map_place(image_map, 1, start, end - start, SLIDE), 0);
    CHECK_EQ(image_map_place(image_map, 1, more, at("leaf") - more, SLIDE), 0);
    found("at_first", WORDS("back_in_framed"), "back_in_framed", NULL, false);
}

static bool has(const struct address_list *l, const char *name)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->list[i] == at(name) - SLIDE)
            return true;
    return false;
}

/* Catches: a report by a recording's names that lacks a caller. Each address is
 * kept once, rising. */
TEST(addresses_for_a_recording_have_missed_callers)
{
    begin();
    const struct guest guest = {.cores = 1, .tsc_hz = 1000000000};
    const uint64_t frames[] = {at("back_in_deeper"), at("back_in_framed"),
                               at("back_in_framed")};
    const struct stack stack = {.frames = frames, .depth = 3};
    struct aggregate *a =
        aggregate_new(&(struct aggregate_config){.from_s = 0});

    aggregate_hello(a, HELLO_FIRST, &guest);
    const struct sample sample = {.tsc = 1,
                                  .leaf = at("at_taken"),
                                  .stack = aggregate_stack(a, 0, &stack),
                                  .weight = 1};

    aggregate_samples(a, &(struct sample_batch){
                             .period = 1000, .samples = &sample, .count = 1});
    struct frame_addresses found = {.bytes_max = 1 << 20};

    CHECK_EQ(frame_addresses_gather(&found, aggregate_profile(a), image_map),
             0);
    CHECK_EQ(found.image_count, 1);
    const struct image_addresses *all = &found.images[0];

    CHECK_EQ(all->leaves.count, 1);
    CHECK(has(&all->leaves, "at_taken"));
    CHECK(has(&all->calls, "back_in_deeper"));
    CHECK(has(&all->calls, "back_in_framed"));
    CHECK(has(&all->calls, "back_from_deeper"));
    for (size_t i = 1; i < all->calls.count; i++)
        CHECK(all->calls.list[i - 1] < all->calls.list[i]);
    CHECK(!found.partial);
    frame_addresses_fini(&found);
    aggregate_free(a);
}
