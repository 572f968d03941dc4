/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels that change what was loaded, and are found all the same:
 * outside_place in a guest that this file plays. Its memory has the segments of
 * inputs/segments.S, moved and changed as a case says.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "input.h"
#include "outside/place.h"
#include "util/bytes.h"
#include "util/cpu/x86_64/x86_registers.h"

#define SLIDE 0x1c800000ull
#define STACK 0x90000000ull
#define WORDS 32u

static struct image *img;
static struct err e;
static struct outside_place place;
static struct outside_near near;
static uint64_t runs, pc;
static uint8_t stack[8 * WORDS];

/* Link-time addresses from (low) to below (high) that are not mapped, or that
 * have other bytes, each (every)th one. */
static struct change {
    uint64_t low, high;
    unsigned every; /* 0: not mapped */
} changes[4];

static void begin(const char *options)
{
    char command[256];

    (void)snprintf(command, sizeof command,
                   "cc -nostdlib -static -no-pie -Wl,-T,$IN/segments.ld %s "
                   "$IN/segments.S -o $OUT",
                   options);
    CHECK_EQ(image_open(&img, input_build("cc", "segments", command), &e), 0);
    CHECK(image_find_symbol(img, "runs", &runs));
    pc = runs + SLIDE;
}

static int registers(struct outside_guest *g, uint32_t core,
                     struct cpu_registers *r, struct err *error)
{
    (void)g;
    (void)core;
    (void)error;
    *r = (struct cpu_registers){.cpu = &cpu_x86_64, .is_wide = true, .pc = pc};
    r->general[X86_RSP] = STACK;
    return 0;
}

/* Does memory have the byte at link-time (address)? Changes it in (*byte). */
static bool has_byte(uint64_t address, uint8_t *byte)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct change *c = &changes[i];

        if (address < c->low || address >= c->high)
            continue;
        if (c->every == 0)
            return false;
        if (address % c->every == 0)
            *byte ^= 0x55;
    }
    return true;
}

static long memory(struct outside_guest *g, uint32_t core,
                   const struct cpu_registers *r, uint64_t address, void *to,
                   size_t size, struct err *error)
{
    uint8_t *out = to;
    size_t done = 0, have;

    (void)g;
    (void)core;
    (void)r;
    (void)error;
    for (; done < size; done++) {
        uint64_t at = address + done;
        const uint8_t *bytes = at - STACK < sizeof stack
                                   ? stack + (at - STACK)
                                   : image_loaded(img, at - SLIDE, &have);

        if (bytes == NULL)
            break;
        out[done] = *bytes;
        if (at - STACK >= sizeof stack && !has_byte(at - SLIDE, &out[done]))
            break;
    }
    return (long)done;
}

static enum outside_found find(void)
{
    static const struct outside_ops ops = {.registers = registers,
                                           .memory = memory};
    static struct outside_guest guest = {.ops = &ops, .core_count = 1};

    return outside_place_find(&guest, img, &place, &near, &e);
}

static void is_found(void)
{
    CHECK_EQ(find(), OUTSIDE_FOUND);
    CHECK_EQ(place.slide, SLIDE);
    CHECK_EQ(place.text_start, 0x8000000 + SLIDE);
}

TEST(segment_that_is_unmapped_after_boot_does_not_decide)
{
    begin("-Wl,--build-id=none");
    changes[0] = (struct change){0x100000, 0x200000, 0};
    is_found();
}

/* catches: a text that is taken to be where nothing runs */
TEST(segment_that_is_overwritten_is_not_the_text)
{
    begin("-Wl,--build-id=sha1");
    changes[0] = (struct change){0x100000, 0x200000, 1};
    is_found();
}

TEST(code_of_which_each_tenth_byte_is_another_is_found)
{
    begin("-Wl,--build-id=none");
    changes[0] = (struct change){0x8000000, 0x9000000, 10};
    is_found();
}

/* catches: data behind the code that the kernel has freed */
TEST(code_alone_is_compared)
{
    begin("-Wl,--build-id=none");
    changes[0] = (struct change){0x8000000 + 16000, 0x9000000, 0};
    is_found();
}

/* catches: a build-id that is sought in one section alone */
TEST(build_id_decides_where_much_code_is_another)
{
    begin("-Wl,--build-id=sha1");
    changes[0] = (struct change){0x8000000, runs - 256, 2};
    is_found();
}

TEST(return_address_on_the_stack_leads_to_code)
{
    begin("-Wl,--build-id=none");
    pc = 0x7000000000;
    store_u64(stack + (size_t)8 * 9, STACK + 64); /* no code */
    store_u64(stack + (size_t)8 * 11, runs + SLIDE + 77);
    is_found();
}

TEST(core_in_code_that_is_patched_all_over_has_its_stack)
{
    begin("-Wl,--build-id=none");
    changes[0] = (struct change){runs - 200, runs + 200, 1};
    CHECK_EQ(find(), OUTSIDE_OTHER);
    store_u64(stack + (size_t)8 * 11, runs + SLIDE + 777);
    is_found();
}

TEST(kernel_that_nearly_agrees_is_told_as_that)
{
    begin("-Wl,--build-id=none");
    changes[0] = (struct change){0x8000000, 0x9000000, 5};
    CHECK_EQ(find(), OUTSIDE_OTHER);
    CHECK_EQ(near.slide, SLIDE);
    CHECK_EQ(near.percent, 80); /* four of five */
    CHECK(!near.other_build);
}

TEST(another_build_of_the_same_code_is_told_as_that)
{
    begin("-Wl,--build-id=0x0102030405060708");
    uint64_t id;

    CHECK(image_build_id_address(img, &id));
    changes[0] = (struct change){id, id + 8, 1};
    CHECK_EQ(find(), OUTSIDE_OTHER);
    CHECK_EQ(near.percent, 100);
    CHECK(near.other_build);
    /* its place has become something else: that says nothing */
    changes[0].low = id - 16;
    is_found();
}

/* catches: a guess among several places that are alike */
TEST(code_that_is_there_twice_tells_nothing)
{
    begin("-Wl,--build-id=none -DTWICE");
    CHECK_EQ(find(), OUTSIDE_OTHER);
    CHECK_EQ(near.percent, 0);
}
