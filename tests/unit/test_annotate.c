/* SPDX-License-Identifier: BSD-2-Clause */
/* annotate: what is added up where, in kernel.elf of the golden reports, whose
 * addresses objdump tells; long functions, and no memory. */
#include "annotate/annotate.h"

#include <string.h>

#include "alloc.h"
#include "check.h"
#include "image/code/frame_place.h"
#include "image/file/image.h"
#include "image/names/image_map.h"
#include "image/names/symbolize.h"
#include "input.h"
#include "profile/aggregate/aggregate.h"
#include "view/view_build.h"

#define PERIOD   1000u
/* In checksum, which begins at 0x200021: its loop, mix inlined at line 21, and
 * the loop's own line 30. */
#define CHECKSUM 0x200021u
#define LOOP     0x20003au
#define IN_MIX   0x200044u
#define IN_SUM   0x200059u
#define IN_PUSH  0x2000a1u

static struct image *img;
static struct symbolizer *symbolizer;
static struct frame_places *frames;
static struct image_map *map;
static struct aggregate *aggregate;
static const struct profile *profile;
static struct view *view;

static void begin(const char *path)
{
    const struct aggregate_config config = {0};
    const struct guest guest = {.wire_version = TPROF_WIRE_VERSION,
                                .arch = WIRE_ARCH_X86_64,
                                .cores = 2,
                                .tsc_hz = 1000000};
    struct err e = {""};

    CHECK_EQ(image_open(&img, path, &e), 0);
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

/* (n) samples at (leaf), each (late) ticks late. */
static void samples(uint32_t core, uint64_t leaf, unsigned n, uint32_t late)
{
    static uint64_t tsc = 1000;
    const struct stack none = {.end = WIRE_END_ZERO};

    for (unsigned i = 0; i < n; i++) {
        tsc += PERIOD;
        struct sample s = {.tsc = tsc,
                           .leaf = leaf,
                           .stack = aggregate_stack(aggregate, core, &none),
                           .late = late,
                           .weight = 1};
        const struct sample_batch batch = {
            .core = core, .period = PERIOD, .samples = &s, .count = 1};

        aggregate_samples(aggregate, &batch);
    }
}

static void make_view(void)
{
    if (view != NULL)
        return;
    profile = aggregate_profile(aggregate);
    CHECK(profile != NULL);
    view = view_new(profile, map, 0);
    CHECK(view != NULL);
}

static struct annotation *annotated(const char *function, uint64_t memory,
                                    struct err *e)
{
    bool unfound;

    make_view();
    return annotate(&(struct annotate_job){.profile = profile,
                                           .view = view,
                                           .image_map = map,
                                           .function = function,
                                           .memory = memory},
                    &unfound, e);
}

static void end(void)
{
    view_free(view);
    aggregate_free(aggregate);
    image_map_free(map);
    frame_places_free(frames);
    symbolizer_free(symbolizer);
    image_close(img);
    view = NULL;
}

/* The line (number) of the body that is (inlined) or not. */
static const struct annotated_line *line_of(const struct annotation *a,
                                            bool inlined, uint32_t number)
{
    for (size_t i = 0; i < a->body_count; i++)
        for (size_t j = 0; j < a->bodies[i].line_count; j++)
            if (a->bodies[i].inlined == inlined &&
                a->bodies[i].lines[j].number == number)
                return &a->bodies[i].lines[j];
    check_failed(__FILE__, __LINE__, "no line %u", number);
}

static const struct annotated_insn *insn_at(const struct annotation *a,
                                            uint64_t address)
{
    for (size_t i = 0; i < a->codes[0].insn_count; i++)
        if (a->codes[0].insns[i].address == address)
            return &a->codes[0].insns[i];
    check_failed(__FILE__, __LINE__, "no instruction");
}

/* Catches: samples of another function, of one core only, counted twice */
TEST(samples_are_summed_by_line_and_block)
{
    struct err e = {""};

    begin(KERNEL);
    samples(0, IN_MIX, 7, 0);
    samples(1, IN_MIX, 4, 1u << 20);
    samples(0, IN_SUM, 5, 0);
    samples(0, CHECKSUM, 1, 0);
    samples(0, IN_PUSH, 9, 0);
    struct annotation *a = annotated(NULL, 1u << 30, &e);

    CHECK(a != NULL && a->chosen);
    CHECK_STR(view->functions[a->function].name, "checksum");
    CHECK_EQ(a->sum.amount.samples, 17);
    CHECK_EQ(line_of(a, true, 21)->sum.amount.samples, 11);
    CHECK_EQ(line_of(a, false, 30)->sum.amount.samples, 5);
    CHECK_EQ((unsigned)line_of(a, true, 21)->sum.late, 4 * PERIOD);
    CHECK_EQ(a->code_count, 1);
    CHECK_EQ(a->codes[0].address, CHECKSUM);
    for (uint32_t i = 0; i < a->codes[0].block_count; i++) {
        const struct annotated_block *b = &a->codes[0].blocks[i];
        uint64_t first = a->codes[0].insns[b->first].address;

        CHECK_EQ(b->sum.amount.samples, first == LOOP       ? 16
                                        : first == CHECKSUM ? 1
                                                            : 0);
    }
    CHECK_EQ(insn_at(a, IN_MIX)->samples, 11);
    CHECK(insn_at(a, IN_MIX)->late > .3 && insn_at(a, IN_MIX)->late < .4);
    CHECK_EQ(insn_at(a, LOOP)->samples, 0);
    annotation_free(a);
    end();
}

TEST(an_inlined_function_has_lines_and_those_that_hold_its_code)
{
    struct err e = {""};

    begin(KERNEL);
    samples(0, IN_MIX, 7, 0);
    samples(0, IN_SUM, 5, 0);
    struct annotation *a = annotated("mix", 1u << 30, &e);

    CHECK(a != NULL && !a->chosen);
    CHECK_EQ(a->sum.amount.samples, 7);
    CHECK_EQ(a->code_count, 0);
    CHECK_EQ(a->host_count, 1);
    CHECK_STR(view->functions[a->hosts[0].function].name, "checksum");
    CHECK_EQ(line_of(a, false, 21)->sum.amount.samples, 7);
    annotation_free(a);
    end();
}

/* Catches: memory beyond --memory, by a symbol that is as long as the file */
TEST(a_long_function_is_not_taken_apart_without_memory)
{
    struct err e = {""};

    begin(input_build("cc", "long",
                      "printf '.globl _start\\n.type _start,@function\\n"
                      "_start: .rept 40000\\nnop\\n.endr\\nret\\n"
                      ".size _start,.-_start\\n' | cc -nostdlib -static "
                      "-no-pie -Wl,-Ttext=0x500000 -x assembler - -o $OUT"));
    samples(0, 0x500100, 3, 0);
    struct annotation *a = annotated("_start", 16u << 20, &e);

    CHECK(a != NULL && a->code_count == 1 && a->codes[0].unread);
    CHECK(a->codes[0].insn_count == 0);
    annotation_free(a);
    a = annotated("_start", 1u << 30, &e);
    CHECK(a != NULL && a->code_count == 1 && !a->codes[0].unread);
    CHECK_EQ(a->codes[0].insn_count, 40001);
    CHECK_EQ(a->codes[0].blocks[0].sum.amount.samples, 3);
    annotation_free(a);
    end();
}

TEST(every_allocation_may_fail) /* catches: leaks and null pointers */
{
    unsigned n = 1;

    begin(KERNEL);
    samples(0, IN_MIX, 7, 0);
    make_view();
    for (;; n++) {
        struct err e = {""};

        alloc_fail_at(n);
        struct annotation *a = annotated("checksum", 1u << 30, &e);

        if (!alloc_failed()) {
            CHECK(a != NULL);
            annotation_free(a);
            break;
        }
        /* what symbols lack is not known, and no error */
        CHECK(a != NULL || strcmp(e.text, "out of memory") == 0);
        annotation_free(a);
        symbolizer_forget(symbolizer);
        view_free(view);
        view = NULL;
        make_view();
    }
    CHECK(n > 8);
    end();
}
