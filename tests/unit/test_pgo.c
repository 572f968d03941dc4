/* SPDX-License-Identifier: BSD-2-Clause */
/* pgo: what is refused, and when memory ends; golden.pgo* have the rest. */
#include "pgo/pgo.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "check.h"
#include "image/code/frame_place.h"
#include "image/file/image.h"
#include "image/names/image_map.h"
#include "image/names/symbolize.h"
#include "input.h"
#include "pgo/bodies.h"
#include "profile/aggregate/aggregate.h"
#include "view/view_build.h"

#define PERIOD 1000u

static struct image *img;
static struct symbolizer *symbolizer;
static struct frame_places *frames;
static struct image_map *map;
static struct aggregate *aggregate;
static const struct profile *profile;
static struct view *view;
static bool by_address;

/* A kernel that (command) builds. */
static void begin_by(const char *command)
{
    const struct aggregate_config config = {0};
    const struct guest guest = {.wire_version = TPROF_WIRE_VERSION,
                                .arch = WIRE_ARCH_X86_64,
                                .cores = 1,
                                .tsc_hz = 1000000};
    struct err e = {""};

    CHECK_EQ(image_open(&img, input_build("clang", "pgo", command), &e), 0);
    symbolizer = symbolizer_new(img, 0);
    frames = frame_places_new(img, 0);
    map = image_map_new(&(struct mapped_image){.file = img,
                                               .symbolizer = symbolizer,
                                               .frame_places = frames},
                        0);
    aggregate = aggregate_new(&config);
    CHECK(map != NULL && aggregate != NULL);
    CHECK_EQ(aggregate_hello(aggregate, HELLO_FIRST, &guest), 0);
}

static void begin_of(const char *source, const char *flags)
{
    char command[256];

    (void)snprintf(command, sizeof command,
                   "clang -O2 %s -nostdlib -static -fno-pie $IN/%s -o $OUT",
                   flags, source);
    begin_by(command);
}

static void begin(const char *flags)
{
    begin_of("inline.c", flags);
}

/* (n) samples at (leaf), one each millisecond, called from before (back);
 * NULL: nobody has called it. */
static void samples_at(const char *back, uint64_t leaf, unsigned n)
{
    static uint64_t tsc = 1000;
    struct stack stack = {.end = WIRE_END_ZERO};
    uint64_t frame;

    if (back != NULL) {
        CHECK(image_find_symbol(img, back, &frame));
        stack.frames = &frame;
        stack.depth = 1;
    }
    for (unsigned i = 0; i < n; i++) {
        tsc += PERIOD;
        struct sample s = {.tsc = tsc,
                           .leaf = leaf,
                           .stack = aggregate_stack(aggregate, 0, &stack),
                           .weight = 1};
        const struct sample_batch batch = {
            .core = 0, .period = PERIOD, .samples = &s, .count = 1};

        aggregate_samples(aggregate, &batch);
    }
}

static void called_samples(const char *back, const char *symbol, unsigned n)
{
    uint64_t leaf;

    CHECK(image_find_symbol(img, symbol, &leaf));
    samples_at(back, leaf, n);
}

/* The same at the beginning of (function). */
static void samples(const char *function, unsigned n)
{
    called_samples(NULL, function, n);
}

static struct sample_profile *made(uint64_t memory, struct err *e)
{
    if (view == NULL) {
        profile = aggregate_profile(aggregate);
        view = profile != NULL ? view_new(profile, map, 0) : NULL;
    }
    CHECK(view != NULL);
    return pgo_profile(&(struct pgo_job){.profile = profile,
                                         .view = view,
                                         .image = img,
                                         .by_address = by_address,
                                         .memory = memory},
                       e);
}

static void refused(const char *why)
{
    struct err e = {""};

    CHECK(made(0, &e) == NULL);
    if (strstr(e.text, why) == NULL)
        check_failed(__FILE__, __LINE__, "'%s' in: %s", why, e.text);
}

static void end(void)
{
    view_free(view);
    view = NULL;
    aggregate_free(aggregate);
    image_map_free(map);
    frame_places_free(frames);
    symbolizer_free(symbolizer);
    image_close(img);
}

/* catches: branches of one line taken for one; whole kernels refused for it */
TEST(images_without_discriminators_are_refused)
{
    begin("-g");
    samples("visible", 5000);
    refused("-fdebug-info-for-profiling");
    end();
}

/* catches: a function that matters with a handful of samples */
TEST(few_samples_are_refused_with_the_time_to_take)
{
    begin("-g -fdebug-info-for-profiling");
    samples("visible", 400);
    refused("400 samples are too few for a compiler (400 of them in visible");
    refused("sample for 1 s more");
    end();

    begin("-g -fdebug-info-for-profiling");
    samples("visible", 1040);
    samples("complain", 40); /* 90 % are not there without one of these */
    samples("hidden", 40);
    samples("_start", 40);
    refused("1160 samples are too few for a compiler (40 of them in ");
    end();

    begin("-g -fdebug-info-for-profiling");
    samples("visible", 1000);
    samples("hidden", 40); /* 4 %: these do not matter */
    struct err e = {""};
    struct sample_profile *s = made(0, &e);

    CHECK(s != NULL);
    CHECK_EQ(s->samples, 1040);
    CHECK_EQ(s->placed, 1040);
    sample_profile_free(s);
    end();
}

/* catches: a function of which the compiler believes that nobody calls it */
TEST(heads_are_counts_of_first_lines)
{
    struct err e = {""};
    struct sample_profile *s;

    begin("-g -fdebug-info-for-profiling");
    samples("visible", 1500);
    samples("complain", 200);
    s = made(0, &e);
    CHECK(s != NULL);
    CHECK_STR(s->bodies[0].name, "visible");
    CHECK_EQ(s->bodies[0].head, 1500);
    CHECK_EQ(s->bodies[0].total, 1500);
    sample_profile_free(s);
    end();
}

/* The line of the function (name) that calls others through pointers. */
static const struct sampled_line *calls_of(const struct sample_profile *s,
                                           const char *name)
{
    for (size_t i = 0; i < s->body_count; i++)
        for (size_t j = 0; j < s->bodies[i].line_count; j++)
            if (strcmp(s->bodies[i].name, name) == 0 &&
                s->bodies[i].lines[j].call_count != 0)
                return &s->bodies[i].lines[j];
    return NULL;
}

/* catches: callees by time, which makes of a slow one a frequent one; calls
 * that are not through pointers; what a callee has jumped to taken for one */
TEST(calls_through_pointers_are_those_of_the_stacks)
{
    const struct sampled_line *line;
    struct sample_profile *s;
    struct err e = {""};

    begin_of("pointers.c", "-g -fdebug-info-for-profiling "
                           "-fno-omit-frame-pointer "
                           "-mno-omit-leaf-frame-pointer");
    called_samples("after_dispatch", "in_dispatch", 1000);
    called_samples(NULL, "quick", 60);
    called_samples("after_pointer", "in_quick", 10);
    called_samples(NULL, "slow", 40);
    called_samples("after_pointer", "in_slow", 600);
    called_samples("after_direct", "in_slow", 200);
    called_samples(NULL, "before_direct", 70);
    called_samples(NULL, "thunk", 50);
    called_samples("after_pointer", "behind", 80);
    called_samples("after_pointer", "in_behind", 3000);
    s = made(0, &e);
    CHECK(s != NULL);
    line = calls_of(s, "dispatch");
    CHECK(line != NULL);
    CHECK_EQ(line->call_count, 2);
    CHECK_STR(line->calls[0].name, "quick");
    CHECK_EQ(line->calls[0].count, 60);
    CHECK_STR(line->calls[1].name, "slow"); /* three of four times */
    CHECK_EQ(line->calls[1].count, 30);
    CHECK(calls_of(s, "other") == NULL);
    sample_profile_free(s);
    end();
}

/* As LLVM 14's FileCheck tests of duplication have them, and as in sampled.elf
 * of the golden reports: llvm-dwarfdump says 514 where a loop is unrolled twice
 * and the source has a second block. */
TEST(discriminators_have_two_numbers) /* catches: counts of half a loop */
{
    CHECK_EQ(discriminator_base(0), 0);
    CHECK_EQ(discriminator_copies(0), 1);
    CHECK_EQ(discriminator_base(2), 1);
    CHECK_EQ(discriminator_copies(2), 1);
    CHECK_EQ(discriminator_base(514), 1);
    CHECK_EQ(discriminator_copies(514), 2);
    CHECK_EQ(discriminator_base(9), 0);
    CHECK_EQ(discriminator_copies(9), 2);
    /* 12 bits: 0x20 | low 5 bits | the others one to the left, then a 0 */
    CHECK_EQ(discriminator_base(((0x123u & 0x1f) | 0x20 | (0x123u & 0xfe0) << 1)
                                << 1),
             0x123);
    CHECK_EQ(discriminator_copies(UINT32_MAX), 1);
}

/* catches: names of local symbols that the optimizer takes for global ones, or
 * for each other; kernels refused for a compiler that does not matter */
TEST(addresses_are_symbols_and_offsets)
{
    const struct image_function *f;
    struct sample_profile *s;
    struct err e = {""};
    unsigned twins = 0;

    begin_by("gcc -O2 -nostdlib -static -fno-pie -Wl,-z,muldefs $IN/inline.c "
             "$IN/inline.c -o $OUT");
    samples("visible", 900);
    for (size_t i = 0; (f = image_function_at(img, i)) != NULL; i++)
        if (strcmp(f->name, "hidden") == 0)
            samples_at(NULL, f->start + 4, 100 * ++twins);
    CHECK_EQ(twins, 2);
    by_address = true;
    s = made(0, &e);
    by_address = false;
    CHECK(s != NULL);
    CHECK_EQ(s->samples, 1200);
    CHECK_EQ(s->placed, 1200);
    CHECK_EQ(s->address_count, 3);
    for (size_t i = 0; i < s->address_count; i++) {
        const struct sampled_address *a = &s->addresses[i];
        bool twin = strcmp(a->function, "hidden") == 0;

        CHECK_STR(a->function, twin ? "hidden" : "visible");
        CHECK_EQ(a->local, twin ? a->samples / 100 : 0);
        CHECK_EQ(a->offset, twin ? 4 : 0);
        CHECK_EQ(a->samples, twin ? 100 * a->local : 900);
    }
    sample_profile_free(s);
    end();
}

TEST(no_memory_is_an_error) /* catches: what is not checked, and leaks */
{
    struct err e = {""};

    begin_of("pointers.c", "-g -fdebug-info-for-profiling "
                           "-fno-omit-frame-pointer "
                           "-mno-omit-leaf-frame-pointer");
    called_samples("after_dispatch", "in_dispatch", 1000);
    samples("quick", 500);
    called_samples("after_pointer", "in_quick", 500);
    CHECK(made(1, &e) == NULL);
    CHECK(strstr(e.text, "--memory") != NULL);
    for (unsigned n = 1;; n++) {
        struct sample_profile *s;

        alloc_fail_at(n);
        s = made(0, &e);
        sample_profile_free(s);
        if (!alloc_failed()) {
            CHECK(s != NULL);
            break;
        }
    }
    end();
}
