/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths and rows that files for other tools are written from: together they are
 * all samples, also of what had no room. Formats by their files' suffixes.
 */
#include "export/export.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "export/export_rows.h"
#include "export/formats.h"
#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"
#include "view/view_build.h"

#define SAMPLES 4000u
#define PERIOD  1000u
#define HZ      1000000000u

static struct aggregate *aggregate;
static struct image_map *image_map;
static struct view *view;
static struct report report;

/* Samples that all differ in leaf and stack, in (memory). */
static void begin(uint64_t memory)
{
    const struct guest guest = {.cores = 1, .tsc_hz = HZ};

    aggregate = aggregate_new(&(struct aggregate_config){.memory_max = memory});
    image_map = image_map_new(&(struct mapped_image){0}, 0);
    CHECK(aggregate != NULL && image_map != NULL);
    aggregate_hello(aggregate, HELLO_FIRST, &guest);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t frame = 0x1001 + i;
        const struct stack stack = {.frames = &frame, .depth = 1};
        const struct sample s = {.tsc = i * PERIOD,
                                 .leaf = 0x100000 + i,
                                 .stack = aggregate_stack(aggregate, 0, &stack),
                                 .weight = 1 + i % 2};

        aggregate_samples(aggregate, &(struct sample_batch){.period = PERIOD,
                                                            .samples = &s,
                                                            .count = 1});
    }
    report.profile = aggregate_profile(aggregate);
    CHECK(report.profile != NULL);
    report.view = view = view_new(report.profile, image_map, 0);
    CHECK(report.view != NULL);
}

/* Returns how many paths there are. */
static size_t check_paths(void)
{
    struct render to = {0};
    struct export_cursor c = {0};
    uint64_t samples = 0, ns = 0;
    size_t paths = 0;

    for (; export_next(&to, &report, &c); paths++) {
        samples += c.path.amount.samples;
        ns += export_ns(report.profile, c.path.amount.time);
    }
    CHECK(!to.no_memory);
    CHECK_EQ(samples, SAMPLES);
    CHECK_EQ(ns, PERIOD * (SAMPLES + SAMPLES / 2));
    return paths;
}

/* Returns how many rows there are. */
static size_t check_rows(void)
{
    struct render to = {0};
    struct export_rows rows;
    uint64_t samples = 0, ns = 0, last = 0;
    size_t count = 0;

    export_rows_init(&rows, &to, &report, 0);
    for (; export_rows_next(&rows); count++) {
        CHECK(rows.ns >= last);
        last = rows.ns;
        samples += rows.count;
        ns += rows.length_ns;
    }
    export_rows_fini(&rows);
    CHECK(!to.no_memory);
    CHECK_EQ(samples, SAMPLES);
    CHECK_EQ(ns, PERIOD * (SAMPLES + SAMPLES / 2));
    return count;
}

static void fini(void)
{
    view_free(view);
    image_map_free(image_map);
    aggregate_free(aggregate);
}

TEST(all_samples_have_paths_and_rows)
{
    begin(0);
    CHECK_EQ(check_paths(), SAMPLES);
    CHECK_EQ(check_rows(), SAMPLES);
    fini();
}

TEST(what_had_no_room_has_them_too) /* catches: sums that a full memory cuts */
{
    begin(1u << 17);
    CHECK(report.profile->cores[0].others.samples != 0);
    CHECK(report.profile->cores[0].moments_until != INT64_MAX);
    CHECK(check_paths() < SAMPLES);
    CHECK(check_rows() < SAMPLES);
    fini();
}

TEST(times_beyond_sense_end_at_a_limit) /* catches: numbers that wrap */
{
    const struct profile p = {.tsc_hz = 1};

    CHECK_EQ(export_ns(&p, 1), 1000000000);
    CHECK_EQ(export_ns(&p, 1e300), 1ull << 60);
    CHECK_EQ(export_ns(&p, -1), 0);
    CHECK_EQ(export_ns(&p, NAN), 0);
    CHECK_EQ(export_ns(&(struct profile){0}, 7.4), 7);
}

static const char *format(const char *path)
{
    const struct render_ops *ops = format_by_path(path);

    return ops != NULL ? ops->name : "none";
}

TEST(longest_suffix_tells_the_format)
{
    CHECK_STR(format("a/x.txt"), "txt");
    CHECK_STR(format("a/x.perf.txt"), "perfscript");
    CHECK_STR(format("x.json"), "json");
    CHECK_STR(format("x.speedscope.json"), "speedscope");
    CHECK_STR(format("x.firefox.json"), "firefox");
    CHECK_STR(format("x.pb.gz"), "pprof");
    CHECK_STR(format("x.perf.data"), "perfdata");
    CHECK_STR(format("a/perf.data"), "perfdata");
    CHECK_STR(format("x.pftrace"), "perfetto");
    CHECK_STR(format("x.waits.folded"), "waits");
    CHECK_STR(format("waits.folded"), "waits");
    CHECK_STR(format("waits2.folded"), "folded");
    CHECK_STR(format("x.svg"), "svg");
    CHECK_STR(format("x.md"), "md");
    CHECK_STR(format("x.txt/y"), "none");
    CHECK_STR(format("json"), "none");
}
