/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame walk over stacks made by hand, sound and broken, and the quick
 * walk against the careful one. Everything readable lies between two pages
 * that fault, so a read too far ends the test.
 */
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "sample/unwind.h"

#define PAGE 4096u
#define TEXT 0x400000u

static uint8_t *stack_page(void)
{
    uint8_t *p =
        mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(p != MAP_FAILED);
    CHECK_EQ(mprotect(p + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
    return p + PAGE;
}

static struct tprof_bounds bounds_of(const uint8_t *page)
{
    return (struct tprof_bounds){
        .image.text = {TEXT, 0x10000, TPROF_REACH_MAX, .seed = 1},
        .readable = {{(uintptr_t)page, PAGE}},
        .extent = PAGE,
    };
}

static void put(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

/* Frames at (at), (at) + step, ...: each points to the next, the last to
 * (end). Returns RBP. */
static uint64_t chain_at(uint8_t *at, uint32_t frames, uint32_t step,
                         uint64_t end)
{
    for (uint32_t i = 0; i < frames; i++) {
        uint8_t *frame = at + i * step;

        put(frame, i + 1 < frames ? (uintptr_t)(frame + step) : end);
        put(frame + 8, TEXT + 16 * (i + 1));
    }
    return (uintptr_t)at;
}

/* Where (rsp) is, in code of the image of (rip). */
static struct tprof_span span_of(const struct tprof_bounds *b, uint64_t rip,
                                 uint64_t rsp)
{
    struct tprof_span span = {.bounds = b};

    tprof_unwind_locate(&span, rip, rsp);
    return span;
}

/* The frame after those of (c), where the chain begins at (rbp). */
static uint64_t root_of(const struct tprof_chain *c, uint64_t rbp)
{
    for (uint32_t i = 0; i < c->count; i++)
        memcpy(&rbp, (void *)(uintptr_t)rbp, sizeof rbp);
    return rbp;
}

/* The name by the quick walk, as a tick asks for it. */
static uint64_t quick_name(const struct tprof_span *span, uint64_t rsp,
                           uint64_t rbp, uint32_t depth)
{
    struct tprof_outermost o;
    uint64_t name = tprof_unwind_quick(span, rsp, rbp, depth, &o);

    return tprof_unwind_rootless(span, rsp, name, o);
}

static struct tprof_chain walk_from(const struct tprof_bounds *b, uint64_t rip,
                                    uint64_t rsp, uint64_t rbp, uint32_t depth)
{
    struct tprof_chain c;
    struct tprof_span span = span_of(b, rip, rsp);
    uint64_t name = tprof_unwind_frames(&span, rsp, rbp, depth, &c);
    /* whatever the quick walk says, it must not contradict */
    struct tprof_outermost o;
    uint64_t quick = tprof_unwind_quick(&span, rsp, rbp, depth, &o);
    uint64_t rootless = tprof_unwind_rootless(&span, rsp, quick, o);

    if (c.end == WIRE_END_TEXT) {
        CHECK(quick != name);
    } else {
        CHECK_EQ(rootless, quick);
        if (quick != TPROF_NO_NAME)
            CHECK_EQ(quick, name);
    }
    /* the name of what the quick walk has read, but for its last frame */
    if (rootless != quick && o.fp == root_of(&c, rbp))
        CHECK_EQ(rootless, name);
    return c;
}

static struct tprof_chain walk(const struct tprof_bounds *b, uint64_t rsp,
                               uint64_t rbp, uint32_t depth)
{
    return walk_from(b, TEXT, rsp, rbp, depth);
}

static uint64_t name_of(const struct tprof_bounds *b, uint64_t rip,
                        uint64_t rsp, uint64_t rbp, uint32_t depth,
                        struct tprof_chain *c)
{
    struct tprof_span span = span_of(b, rip, rsp);

    return tprof_unwind_frames(&span, rsp, rbp, depth, c);
}

TEST(unwind_follows_a_chain_to_its_zero)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t rbp = chain_at(page + 64, 5, 48, 0);
    struct tprof_chain c = walk(&b, (uintptr_t)page, rbp, 64);

    CHECK_EQ(c.count, 5);
    CHECK_EQ(c.end, WIRE_END_ZERO);
    for (uint32_t i = 0; i < 5; i++)
        CHECK_EQ(c.frame[i], TEXT + 16 * (i + 1));
}

TEST(unwind_takes_odd_stacks) /* catches: a demand for alignment */
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t rbp = chain_at(page + 65, 4, 51, 0);

    CHECK_EQ(walk(&b, (uintptr_t)page + 1, rbp, 64).count, 4);
}

TEST(unwind_stops_at_the_depth_that_was_asked_for)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t rbp = chain_at(page + 64, 100, 16, 0);
    struct tprof_chain c = walk(&b, (uintptr_t)page, rbp, 7);

    CHECK_EQ(c.count, 7);
    CHECK_EQ(c.end, WIRE_END_DEPTH);
    c = walk(&b, (uintptr_t)page, rbp, 127);
    CHECK_EQ(c.count, 100);
}

TEST(unwind_reads_the_last_frame_that_fits_and_not_one_byte_more)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t rbp = chain_at(page + PAGE - 16, 1, 16, 0);

    CHECK_EQ(walk(&b, (uintptr_t)page, rbp, 64).count, 1);
    for (uint32_t i = 1; i < 24; i++) {
        struct tprof_chain c = walk(&b, (uintptr_t)page, rbp + i, 64);

        CHECK_EQ(c.count, 0);
        CHECK_EQ(c.end, WIRE_END_MEMORY);
    }
}

/* Catches: stacks in a range under the id of one that tells where it is not */
TEST(unwind_tells_stacks_in_no_range_from_those_that_end_in_none)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t inside = (uintptr_t)page, outside = inside - 8;
    struct tprof_chain in, out, other;
    uint64_t name = name_of(&b, TEXT, outside, 0xfee00000, 64, &out);

    CHECK(name_of(&b, TEXT, inside, 0xfee00000, 64, &in) != name);
    CHECK_EQ(name_of(&b, TEXT, 0x1000, inside, 64, &other), name);
    CHECK_EQ(in.end, WIRE_END_MEMORY);
    CHECK_EQ(out.end, WIRE_END_MEMORY);
    CHECK_EQ(in.outside, 0);
    CHECK_EQ(out.outside, outside);
    CHECK_EQ(other.outside, 0x1000);
}

TEST(unwind_reads_no_words_beyond_the_range) /* RSP near its end */
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);

    for (uint32_t left = 0; left <= 32; left++)
        walk(&b, (uintptr_t)page + PAGE - left, 0, 64);
}

TEST(unwind_takes_the_last_words_quickly) /* catches: a slow tick for nothing */
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t rsp = (uintptr_t)page + PAGE - 32;
    struct tprof_span span = span_of(&b, TEXT, rsp);

    CHECK(quick_name(&span, rsp, 0, 64) != TPROF_NO_NAME);
    CHECK_EQ(quick_name(&span, rsp + 1, 0, 64), TPROF_NO_NAME);
}

TEST(unwind_finds_no_frame_in_a_range_smaller_than_one)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t rbp = (uintptr_t)page + PAGE - 8; /* half of it would fault */

    for (uint32_t size = 1; size < 16; size++) {
        b.readable[0].size = size;
        CHECK_EQ(walk(&b, (uintptr_t)page, rbp, 64).end, WIRE_END_MEMORY);
        CHECK_EQ(walk(&b, (uintptr_t)page, (uintptr_t)page, 64).count, 0);
    }
}

TEST(unwind_ends_a_cycle_and_a_chain_that_falls)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t self = (uintptr_t)page + 128;

    put(page + 128, self);
    put(page + 136, TEXT + 1);
    struct tprof_chain c = walk(&b, (uintptr_t)page, self, 64);

    CHECK_EQ(c.count, 1);
    CHECK_EQ(c.end, WIRE_END_NOT_RISING);
    put(page + 128, (uintptr_t)page + 64); /* down again */
    c = walk(&b, (uintptr_t)page, self, 64);
    CHECK_EQ(c.count, 1);
    CHECK_EQ(c.end, WIRE_END_NOT_RISING);
    /* below RSP: some other function's leavings */
    c = walk(&b, self + 8, self, 64);
    CHECK_EQ(c.count, 0);
    CHECK_EQ(c.end, WIRE_END_NOT_RISING);
}

TEST(unwind_ends_at_a_return_address_outside_text)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t rbp = chain_at(page + 64, 5, 32, 0);

    put(page + 64 + 2 * 32 + 8, TEXT + 0x10000); /* one past the end */
    struct tprof_chain c = walk(&b, (uintptr_t)page, rbp, 64);

    CHECK_EQ(c.count, 2);
    CHECK_EQ(c.end, WIRE_END_TEXT);
}

TEST(unwind_survives_every_wild_frame_pointer)
{
    static const uint64_t wild[] = {
        1,          7,          0xfee00000,         0xfeb00e00,
        UINT64_MAX, 1ull << 63, 0x00007fffffffffff, 0xffff800000000000,
    };
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);

    for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++) {
        struct tprof_chain c = walk(&b, (uintptr_t)page, wild[i], 64);

        CHECK_EQ(c.count, 0);
        CHECK_EQ(c.end, WIRE_END_MEMORY);
        /* and one frame up */
        uint64_t rbp = chain_at(page + 64, 3, 32, wild[i]);

        CHECK_EQ(walk(&b, (uintptr_t)page, rbp, 64).count, 3);
        /* and as the stack pointer */
        walk(&b, wild[i], rbp, 64);
    }
}

TEST(unwind_goes_on_in_a_higher_range)
{
    uint8_t *low = stack_page(), *high = stack_page();

    if (low > high) {
        uint8_t *swap = low;

        low = high;
        high = swap;
    }
    struct tprof_bounds b = bounds_of(low);

    b.readable[1] = (struct tprof_range){(uintptr_t)high, PAGE};
    b.extent = (uintptr_t)(high + PAGE - low);
    uint64_t upper = chain_at(high + 64, 3, 32, 0);
    uint64_t rbp = chain_at(low + 64, 2, 32, upper);
    struct tprof_chain c = walk(&b, (uintptr_t)low, rbp, 64);

    CHECK_EQ(c.count, 5);
    CHECK_EQ(c.end, WIRE_END_ZERO);
    /* the quick walk must not take that for its end */
    struct tprof_span span = span_of(&b, TEXT, (uintptr_t)low);

    CHECK_EQ(quick_name(&span, (uintptr_t)low, rbp, 64), TPROF_NO_NAME);
}

/* What the quick walk says of (rbp), and that it is the careful one's name. */
static void check_quick(const struct tprof_bounds *b, uint64_t rsp,
                        uint64_t rbp, uint32_t depth, enum wire_end end)
{
    struct tprof_span span = span_of(b, TEXT, rsp);
    struct tprof_chain c;
    uint64_t name = tprof_unwind_frames(&span, rsp, rbp, depth, &c);

    CHECK_EQ(c.end, end);
    CHECK_EQ(quick_name(&span, rsp, rbp, depth), name);
}

/* catches: kernels where most chains end in garbage pay the long way */
TEST(unwind_names_chains_at_once_however_they_end)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t rsp = (uintptr_t)page, rbp = rsp + 64;

    chain_at(page + 64, 5, 32, 0);
    check_quick(&b, rsp, rbp, 64, WIRE_END_ZERO);
    check_quick(&b, rsp, rbp, 5, WIRE_END_DEPTH);
    chain_at(page + 64, 5, 32, rsp + 64);
    check_quick(&b, rsp, rbp, 64, WIRE_END_NOT_RISING);
    static const uint64_t wild[] = {1, 0xfeb00e70, 0x4000000001, UINT64_MAX};

    for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++) {
        chain_at(page + 64, 5, 32, wild[i]);
        check_quick(&b, rsp, rbp, 64, WIRE_END_MEMORY);
        check_quick(&b, rsp, wild[i], 64, WIRE_END_MEMORY);
    }
    chain_at(page + 64, 5, 32, rsp - 1);
    check_quick(&b, rsp, rbp, 64, WIRE_END_MEMORY);
    chain_at(page + 64, 5, 32, rsp + PAGE);
    check_quick(&b, rsp, rbp, 64, WIRE_END_MEMORY);
}

/* catches: kernels that enter threads by a jump pay the long way at each tick
 */
TEST(unwind_names_chains_at_once_whose_root_nobody_called)
{
    uint8_t *page = stack_page(), *other = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t rsp = (uintptr_t)page, rbp = rsp + 64;
    const uint64_t saved[] = {
        0, rsp + 64, rsp - 1, rsp + PAGE, 1, UINT64_MAX, (uintptr_t)other + 64};
    static const uint64_t back[] = {0, 7, TEXT - 1, TEXT + 0x10000, UINT64_MAX};

    b.readable[page > other ? 0 : 1] =
        (struct tprof_range){(uintptr_t)other, PAGE};
    b.readable[page > other ? 1 : 0] =
        (struct tprof_range){(uintptr_t)page, PAGE};
    b.extent = (uintptr_t)(page > other ? page - other : other - page) + PAGE;
    for (unsigned i = 0; i < sizeof saved / sizeof *saved; i++) {
        for (unsigned j = 0; j < sizeof back / sizeof *back; j++) {
            for (uint32_t frames = 1; frames < 6; frames++) {
                chain_at(page + 64, frames, 32, saved[i]);
                put(page + 64 + (frames - 1) * 32 + 8, back[j]);
                check_quick(&b, rsp, rbp, 64, WIRE_END_TEXT);
                check_quick(&b, rsp, rbp, frames, WIRE_END_TEXT);
            }
        }
    }
}

/* catches: stacks on a heap that nobody called readable pay the long way */
TEST(unwind_names_at_once_what_it_may_not_read)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t rbp = chain_at(page + 64, 3, 32, 0);
    struct tprof_span span = span_of(&b, TEXT, (uintptr_t)page);
    struct tprof_chain c;
    const uint64_t wild[] = {0, 7, (uintptr_t)page - 1, (uintptr_t)page + PAGE,
                             UINT64_MAX};

    for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++) {
        check_quick(&b, wild[i], rbp, 64, WIRE_END_MEMORY);
        /* also where the last stack was in a range */
        tprof_unwind_locate(&span, TEXT, wild[i]);
        uint64_t name = tprof_unwind_frames(&span, wild[i], rbp, 64, &c);

        CHECK_EQ(quick_name(&span, wild[i], rbp, 64), name);
        CHECK(quick_name(&span, (uintptr_t)page, rbp, 64) != name);
        CHECK(quick_name(&span, (uintptr_t)page, rbp, 64) != TPROF_NO_NAME);
    }
}

TEST(unwind_names_differ_by_frame_word_and_end)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t rbp = chain_at(page + 64, 5, 32, 0);
    uint64_t rsp = (uintptr_t)page;
    struct tprof_chain c;
    uint64_t name = name_of(&b, TEXT, rsp, rbp, 64, &c);

    CHECK(name_of(&b, TEXT, rsp, rbp, 4, &c) != name);
    put(page + 8, TEXT + 5);
    uint64_t with_word = name_of(&b, TEXT, rsp, rbp, 64, &c);

    CHECK_EQ(c.slots, 2);
    CHECK_EQ(c.word[1], TEXT + 5);
    CHECK(with_word != name);
    put(page + 8, 0);
    put(page + 64 + 4 * 32 + 8, TEXT + 9);
    CHECK(name_of(&b, TEXT, rsp, rbp, 64, &c) != name);
}

TEST(unwind_names_tell_a_word_from_a_frame) /* catches: a caller lost */
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    struct tprof_chain c;

    /* a function's body: its frame, with nothing that looks like code on top */
    uint64_t rbp = chain_at(page + 64, 2, 64, 0);
    uint64_t body = name_of(&b, TEXT, (uintptr_t)page, rbp, 64, &c);

    CHECK_EQ(c.slots, 0);
    CHECK_EQ(c.count, 2);
    /* its ret: the frame is gone, its return address on top of the stack */
    uint64_t ret = name_of(&b, TEXT, rbp + 8, rbp + 64, 64, &c);

    CHECK_EQ(c.slots & 1, 1);
    CHECK_EQ(c.count, 1);
    CHECK(ret != body);
}

TEST(unwind_walks_agree_on_random_stacks) /* catches: two names for one */
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);
    uint64_t r = 1;

    for (int round = 0; round < 20000; round++) {
        for (uint32_t i = 0; i < 256; i++) {
            r = r * 6364136223846793005u + 1442695040888963407u;
            uint64_t kind = r >> 60, low = r >> 40 & 0xfff;

            put(page + 8 * i, kind < 7    ? (uintptr_t)page + low
                              : kind < 14 ? TEXT + low
                                          : r);
        }
        r = r * 6364136223846793005u + 1442695040888963407u;
        walk(&b, (uintptr_t)page + (r >> 54),
             (uintptr_t)page + (r >> 20 & 4095), 1 + (r >> 32 & 63));
    }
}

/* Two further images, close behind the first and far away. */
#define CLOSE (TEXT + 0x80000)
#define FAR   0x50000000000u

static struct tprof_image_text further[2];

static struct tprof_bounds several(const uint8_t *page)
{
    struct tprof_bounds b = bounds_of(page);

    b.image.text.reach = CLOSE - TEXT;
    further[0] = (struct tprof_image_text){
        {CLOSE, 0x1000, 0x1000, .seed = 2, .base = 2 * (CLOSE - TEXT)},
        &further[1]};
    further[1] = (struct tprof_image_text){
        {FAR, 0x10000, 0x10000, .seed = 3, .base = 2 * (FAR - TEXT)}, NULL};
    return b;
}

TEST(unwind_finds_the_image_of_an_address) /* catches: an end that is off */
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = several(page);
    const struct {
        uint64_t rip, start;
    } expect[] = {
        {TEXT, TEXT},
        {TEXT + 0xffff, TEXT},
        {TEXT + 0x10000, TEXT},
        {CLOSE, CLOSE},
        {CLOSE - 1, TEXT},
        {CLOSE + 0xfff, CLOSE},
        {CLOSE + 0x1000, TEXT},
        {FAR + 0xffff, FAR},
        {FAR - 1, FAR - TPROF_REACH_MAX}, /* in no image: a base of its own */
        {FAR + 0x10000, TEXT},            /* near an image */
        {0, TEXT}, /* with TEXT in one piece of REACH_MAX */
        {FAR + 0x1000000, FAR + 0x1000000},
        {FAR + 0x1ffffff, FAR + 0x1000000},
        {UINT64_MAX, -TPROF_REACH_MAX},
    };

    b.image.next = further;
    for (unsigned i = 0; i < sizeof expect / sizeof *expect; i++) {
        struct tprof_span span = span_of(&b, expect[i].rip, (uintptr_t)page);

        CHECK_EQ(span.origin, expect[i].start);
    }
}

/* catches: more bases than the host knows of, from code that wanders */
TEST(unwind_counts_leaves_from_a_few_bases)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = bounds_of(page);

    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t i = 1; i < 30; i++) {
            uint64_t rip = FAR + i * TPROF_REACH_MAX + 99 * round;
            struct tprof_span span = span_of(&b, rip, (uintptr_t)page);

            CHECK_EQ(span.origin, i <= 8 ? FAR + i * TPROF_REACH_MAX : TEXT);
            CHECK_EQ(span.text.start, TEXT); /* of the words */
        }
    }
}

TEST(
    unwind_takes_the_first_image_while_images_change) /* catches: half of two */
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = several(page);

    b.image.next = further;
    for (uint32_t changes = 0; changes < 4; changes++) {
        atomic_store(&b.changes, changes);
        struct tprof_span span = span_of(&b, FAR, (uintptr_t)page);

        CHECK_EQ(span.text.start, changes % 2 ? TEXT : FAR);
    }
}

TEST(unwind_goes_through_all_images) /* catches: a chain cut at a border */
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = several(page);
    uint64_t rbp = chain_at(page + 64, 5, 48, 0);

    put(page + 64 + 8, CLOSE + 5);
    put(page + 64 + 2 * 48 + 8, FAR + 0xffff);
    put(page + 64 + 3 * 48 + 8, FAR);
    CHECK_EQ(walk(&b, (uintptr_t)page, rbp, 64).count, 0); /* not known yet */
    CHECK_EQ(walk(&b, (uintptr_t)page, rbp, 64).end, WIRE_END_TEXT);
    b.image.next = further;
    static const uint64_t rips[] = {TEXT, CLOSE, FAR, 7};

    for (unsigned i = 0; i < sizeof rips / sizeof *rips; i++) {
        struct tprof_chain c = walk_from(&b, rips[i], (uintptr_t)page, rbp, 64);

        CHECK_EQ(c.count, 5);
        CHECK_EQ(c.end, WIRE_END_ZERO);
        CHECK_EQ(c.frame[0], CLOSE + 5);
        CHECK_EQ(c.frame[2], FAR + 0xffff);
    }
    put(page + 64 + 3 * 48 + 8, FAR + 0x10000); /* one past the end */
    CHECK_EQ(walk(&b, (uintptr_t)page, rbp, 64).count, 3);
    put(page + 64 + 3 * 48 + 8, CLOSE - 1);
    CHECK_EQ(walk_from(&b, FAR, (uintptr_t)page, rbp, 64).count, 3);
}

/* Catches: callers that the host takes for others */
TEST(unwind_takes_words_of_the_interrupted_image)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = several(page);
    uint64_t rbp = chain_at(page + 64, 2, 48, 0);

    b.image.next = further;
    put(page, TEXT + 1);
    put(page + 8, CLOSE + 1);
    put(page + 16, FAR + 1);
    CHECK_EQ(walk_from(&b, TEXT, (uintptr_t)page, rbp, 64).slots, 1);
    CHECK_EQ(walk_from(&b, CLOSE, (uintptr_t)page, rbp, 64).slots, 2);
    CHECK_EQ(walk_from(&b, FAR, (uintptr_t)page, rbp, 64).slots, 4);
}

/* Catches: a leaf that is counted from another image's start */
TEST(unwind_names_differ_by_image)
{
    uint8_t *page = stack_page();
    struct tprof_bounds b = several(page);
    uint64_t rbp = chain_at(page + 64, 5, 48, 0);
    uint64_t rsp = (uintptr_t)page;
    struct tprof_chain c;

    b.image.next = further;
    uint64_t first = name_of(&b, TEXT, rsp, rbp, 64, &c);
    uint64_t close = name_of(&b, CLOSE, rsp, rbp, 64, &c);
    uint64_t far = name_of(&b, FAR, rsp, rbp, 64, &c);

    CHECK(first != close && close != far && far != first);
    CHECK_EQ(name_of(&b, 7, rsp, rbp, 64, &c), first);
}
