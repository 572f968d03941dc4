/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goes to OpenTelemetry keeps every rule of its checker of profiles, in
 * both encodings, whatever guests there are. The reader and the rules are the
 * tests' own (tests/support/otlp_*.c); test_otlp_rules.c tests the rules.
 */
#include "export/stores/store_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <zlib.h>

#include "check.h"
#include "image/file/image.h"
#include "image/names/image_map.h"
#include "image/names/symbolize.h"
#include "model/origin.h"
#include "otlp_read.h"
#include "otlp_rules.h"
#include "profile/aggregate/aggregate.h"
#include "report/render.h"
#include "view/view_build.h"

#define PERIOD  1000u
#define HZ      1000000000u
#define SLIDE   0x10000u
#define MADE_UP 0x7000000000u
#define PLACES  64u
#define WALL    1767225600.5

/* The guest: a kernel, an application, and an image of which only names are
 * known, of all kinds. */
static struct image *kernel, *app;
static struct symbolizer *names[3];
static struct image_map *image_map;
static uint64_t places[PLACES];

static const char *const rude[] = {
    "plain",       "a \"quoted\" name", "back\\slash",  "\xff\xfe not UTF-8",
    "\x1b[2J\r\n", "</script>",         "\xe6\x97\xa5", "",
};
#define RUDE (sizeof rude / sizeof rude[0])

/* Names inlined into each other, with files and without. */
static void learn(uint64_t address, unsigned i)
{
    struct symbol outer = {.function = rude[(i + 1) % RUDE],
                           .file = i % 3 == 0 ? NULL : rude[(i + 3) % RUDE],
                           .line = i % 5,
                           .kind = SYMBOL_DWARF,
                           .start = address,
                           .size = 1};
    struct symbol inner = outer;

    inner.function = rude[i % RUDE];
    inner.kind = SYMBOL_INLINED;
    inner.inlined_into = &outer;
    CHECK_EQ(symbolizer_learn(names[2], address, i % 2 ? &inner : &outer), 0);
}

static void load(void)
{
    struct err e = {""};
    uint32_t number;

    CHECK_EQ(image_open(&kernel, KERNEL, &e), 0);
    CHECK_EQ(image_open(&app, APP, &e), 0);
    names[0] = symbolizer_new(kernel, 0);
    names[1] = symbolizer_new(app, 0);
    names[2] = symbolizer_new(NULL, 0);
    CHECK(names[0] != NULL && names[1] != NULL && names[2] != NULL);
    image_map = image_map_new(&(struct mapped_image){.file = kernel,
                                                     .path = KERNEL,
                                                     .symbolizer = names[0]},
                              SLIDE);
    number = image_map_add(
        image_map,
        &(struct mapped_image){
            .name = "app", .file = app, .path = APP, .symbolizer = names[1]});
    CHECK_EQ(
        image_map_place(image_map, number, 0x4000000000, 0x10000, 0x4000000000),
        0);
    number = image_map_add(
        image_map,
        &(struct mapped_image){.name = "\"l\\ib\"", .symbolizer = names[2]});
    CHECK_EQ(image_map_place(image_map, number, MADE_UP, 0x10000, 0), 0);
    for (unsigned i = 0; i < PLACES; i++) {
        static const uint64_t starts[] = {0x200000 + SLIDE, 0x40000001f1,
                                          MADE_UP, 0x123};

        places[i] = starts[i % 4] + i / 4 * 13;
        if (i % 4 == 2)
            learn(places[i], i / 4);
    }
}

static void unload(void)
{
    image_map_free(image_map);
    for (int i = 0; i < 3; i++)
        symbolizer_free(names[i]);
    image_close(app);
    image_close(kernel);
}

static uint32_t chance(uint32_t below)
{
    static uint32_t seed = 1;

    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % below;
}

/* (n) samples of two cores, in (memory) bytes; (apart) have each a leaf of its
 * own. */
static struct aggregate *sample(uint32_t n, uint64_t memory, uint64_t tsc_hz,
                                bool apart)
{
    struct aggregate *a =
        aggregate_new(&(struct aggregate_config){.memory_max = memory});
    const struct guest guest = {.cores = 5, .tsc_hz = tsc_hz, .nonce = n};

    CHECK(a != NULL);
    CHECK_EQ(aggregate_hello(a, HELLO_FIRST, &guest), 0);
    aggregate_host_clock(a, WALL, 1);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t frames[6];
        struct stack stack = {.frames = frames,
                              .depth = chance(7),
                              .end = (uint8_t)chance(WIRE_END_REASONS)};

        for (uint32_t f = 0; f < stack.depth; f++)
            frames[f] = places[chance(PLACES)] + 1;
        const struct sample s = {
            .tsc = (i + 1) * PERIOD,
            .leaf = apart ? MADE_UP + i : places[chance(PLACES)],
            .stack =
                chance(50) == 0 ? STACK_UNKNOWN : aggregate_stack(a, 0, &stack),
            .weight = 1 + chance(3)};

        aggregate_samples(a, &(struct sample_batch){.core = 3 * chance(2),
                                                    .period = PERIOD,
                                                    .samples = &s,
                                                    .count = 1});
    }
    return a;
}

/* Three windows: many samples, some of them without memory of their own, and
 * none at all. */
static struct aggregate *windows[3];
static struct view *views[3];

static void make_windows(uint64_t tsc_hz)
{
    load();
    windows[0] = sample(3000, 0, tsc_hz, false);
    windows[1] = sample(4000, 1u << 17, tsc_hz, true);
    windows[2] = sample(0, 0, tsc_hz, false);
    for (int i = 0; i < 3; i++) {
        views[i] = view_new(aggregate_profile(windows[i]), image_map, 0);
        CHECK(views[i] != NULL);
    }
}

static void free_windows(void)
{
    for (int i = 0; i < 3; i++) {
        view_free(views[i]);
        aggregate_free(windows[i]);
    }
    unload();
}

static const struct origin origins[] = {
    {.guest = "web", .host = "h1"},
    {.guest = "a\"b\\c\xff", /* what a recording's name may be */
     .host = "h\x01",
     .labels = {{"service", "s\"1\\"},
                {"zone", "\xe6\x97\xa5"},
                {"guest", "no"},
                {"zone", "again"},
                {"empty", ""}},
     .label_count = 5},
};

/* All windows by (ops) as one request, uncompressed, of (*size) bytes. */
static uint8_t *render(const struct render_ops *ops, size_t *size)
{
    struct render to = {0};
    size_t packed = 0, room = 64u << 20;
    uint8_t *bytes = malloc(room);
    z_stream z = {0};
    char *text = NULL;

    to.out = open_memstream(&text, &packed);
    CHECK(to.out != NULL && bytes != NULL);
    ops->begin(&to);
    for (unsigned i = 0; i < 6; i++) {
        const struct report r = {.profile = aggregate_profile(windows[i % 3]),
                                 .view = views[i % 3],
                                 .origin = &origins[i / 3]};

        ops->write(&to, &r);
    }
    ops->end(&to);
    CHECK(!to.no_memory && fclose(to.out) == 0);
    CHECK_EQ(inflateInit2(&z, 15 + 16), Z_OK);
    z.next_in = (uint8_t *)text;
    z.avail_in = (unsigned)packed;
    z.next_out = bytes;
    z.avail_out = (unsigned)room;
    CHECK_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
    *size = z.total_out;
    CHECK_EQ(inflateEnd(&z), Z_OK);
    free(text);
    return bytes;
}

static json_t *read_proto(void)
{
    size_t size;
    uint8_t *bytes = render(&render_otlp, &size);
    json_t *request = otlp_read(bytes, size);

    free(bytes);
    return request;
}

static void drop_empty_lists(json_t *value)
{
    json_t *inner;
    size_t i;

    for (i = 0; (inner = json_array_get(value, i)) != NULL; i++)
        drop_empty_lists(inner);
    for (void *at = json_object_iter(value), *next; at != NULL; at = next) {
        next = json_object_iter_next(value, at);
        inner = json_object_iter_value(at);
        drop_empty_lists(inner);
        if (json_is_array(inner) && json_array_size(inner) == 0)
            CHECK_EQ(json_object_del(value, json_object_iter_key(at)), 0);
    }
}

/* A list without elements is no field in the one encoding, and may be one in
 * the other. */
static json_t *read_json(void)
{
    size_t size;
    uint8_t *bytes = render(&render_otlp_json, &size);
    json_error_t e;
    json_t *request =
        json_loadb((const char *)bytes, size, JSON_REJECT_DUPLICATES, &e);

    if (request == NULL)
        check_failed(__FILE__, __LINE__, "at byte %d: %s", e.position, e.text);
    drop_empty_lists(request);
    free(bytes);
    return request;
}

static const json_t *profiles_of(const json_t *request, size_t resource)
{
    const json_t *one =
        json_array_get(json_object_get(request, "resourceProfiles"), resource);

    return json_object_get(
        json_array_get(json_object_get(one, "scopeProfiles"), 0), "profiles");
}

static const char *string_at(const json_t *request, const json_t *message,
                             const char *index)
{
    return json_string_value(json_array_get(
        json_object_get(json_object_get(request, "dictionary"), "stringTable"),
        (size_t)json_integer_value(json_object_get(message, index))));
}

static void check_type(const json_t *request, const json_t *profile,
                       const char *name, const char *type, const char *unit)
{
    const json_t *t = json_object_get(profile, name);

    CHECK_STR(string_at(request, t, "typeStrindex"), type);
    CHECK_STR(string_at(request, t, "unitStrindex"), unit);
}

static uint64_t sum(const json_t *profile)
{
    json_t *sample;
    uint64_t all = 0;
    size_t i;

    for (i = 0; (sample = json_array_get(json_object_get(profile, "samples"),
                                         i)) != NULL;
         i++)
        all += strtoull(json_string_value(json_array_get(
                            json_object_get(sample, "values"), 0)),
                        NULL, 10);
    return all;
}

/* Two profiles of each window, which have all of its samples. */
static void check_profiles(const json_t *request, const char *unit)
{
    CHECK_EQ(json_array_size(json_object_get(request, "resourceProfiles")), 6);
    for (size_t i = 0; i < 6; i++) {
        const struct amount *all = &views[i % 3]->total.all;
        const json_t *p = profiles_of(request, i);
        const json_t *times = json_array_get(p, 0);
        const json_t *counts = json_array_get(p, 1);

        CHECK_EQ(json_array_size(p), 2);
        check_type(request, times, "sampleType", "cpu", unit);
        check_type(request, counts, "sampleType", "samples", "count");
        check_type(request, counts, "periodType", "cpu", unit);
        CHECK_EQ(sum(counts), all->samples);
        CHECK_EQ(sum(times), (uint64_t)all->time);
        if (all->samples != 0)
            CHECK_STR(json_string_value(json_object_get(times, "timeUnixNano")),
                      "1767225600500000000");
    }
}

static void check_request(json_t *request, const char *unit)
{
    const char *broken = otlp_breaks(request);

    if (broken != NULL)
        check_failed(__FILE__, __LINE__, "%s", broken);
    check_profiles(request, unit);
}

static const json_t *table_of(const json_t *request, const char *name)
{
    return json_object_get(json_object_get(request, "dictionary"), name);
}

/* The scene has what the rules are about. */
static void check_scene(const json_t *request)
{
    size_t i, inlined = 0, nowhere = 0;
    json_t *l;

    CHECK_EQ(json_array_size(table_of(request, "mappingTable")), 4);
    CHECK(json_array_size(table_of(request, "stackTable")) > 2000);
    for (i = 0;
         (l = json_array_get(table_of(request, "locationTable"), i)) != NULL;
         i++) {
        inlined += json_array_size(json_object_get(l, "lines")) > 1;
        nowhere += json_object_get(l, "address") != NULL &&
                   json_object_get(l, "mappingIndex") == NULL;
    }
    CHECK(inlined > 0 && nowhere > 0);
    CHECK_EQ(views[0]->total.all.samples, 3000);
    CHECK_EQ(views[1]->total.all.samples, 4000);
    CHECK(aggregate_profile(windows[1])->cores[0].folded != 0);
}

TEST(every_rule_is_kept)
{
    make_windows(HZ);
    json_t *request = read_proto();

    check_scene(request);
    check_request(request, "nanoseconds");
    json_decref(request);
    free_windows();
}

TEST(without_a_clock_every_rule_is_kept)
{
    make_windows(0);
    json_t *request = read_proto();

    check_request(request, "ticks");
    json_decref(request);
    free_windows();
}

TEST(json_says_the_same) /* catches: names, 64 bits as numbers, ids by base64 */
{
    make_windows(HZ);
    json_t *request = read_proto(), *json = read_json();

    CHECK_STR(otlp_breaks(json), NULL);
    CHECK(json_equal(request, json));
    json_decref(json);
    json_decref(request);
    free_windows();
}

TEST(labels_of_the_user_do_not_hide_ours)
{
    static const char want[] =
        "[{\"key\": \"service.name\", \"value\": {\"stringValue\": "
        "\"s\\\"1\\\\\"}}, {\"key\": \"guest\", \"value\": {\"stringValue\": "
        "\"a\\\"b\\\\c\\\\xff\"}}, {\"key\": \"host.name\", \"value\": "
        "{\"stringValue\": \"h\\\\x01\"}}, ";
    make_windows(HZ);
    json_t *request = read_proto();
    const json_t *one =
        json_array_get(json_object_get(request, "resourceProfiles"), 3);
    char *text = json_dumps(
        json_object_get(json_object_get(one, "resource"), "attributes"), 0);

    CHECK(text != NULL);
    text[strlen(want)] = '\0';
    CHECK_STR(text, want);
    free(text);
    json_decref(request);
    free_windows();
}
