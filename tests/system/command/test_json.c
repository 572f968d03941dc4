/* SPDX-License-Identifier: BSD-2-Clause */
/* collector report -o x.json: as large as its reader can take. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "recording/recording.h"

#define SECOND 1000000000u
#define SHIFT  11u
#define PERIOD 4882u /* 10 ms */
#define SMALL  100000u
#define LARGE  2000u
#define A_LEAF 0x3f0000u /* of each second large sample; and of the others: */
#define B_LEAF 0x3f8000u

static struct wiregen stream;
static uint64_t samples;

static void begin_frame(void)
{
    wiregen_samples_begin(&stream,
                          &(struct wiregen_samples){.shift = SHIFT,
                                                    .period = PERIOD,
                                                    .epoch = 1,
                                                    .time = samples * PERIOD});
}

static void put_sample(int64_t leaf)
{
    if (samples % 100 == 0)
        begin_frame();
    wiregen_long_sample(&stream,
                        &(struct wiregen_long){
                            .dt = PERIOD, .id = 1, .leaf = leaf, .weight = 1});
    samples++;
    if (samples % 100 == 0)
        wiregen_samples_end(&stream, (uint64_t[4]){samples});
}

/* A hundred thousand functions with one sample each, and two with a thousand.
 */
static void record_many(void)
{
    static const uint64_t frames[] = {0x1000};
    const struct recording_info info = {.source = "test"};
    struct err e;
    struct recording_writer *w = recording_create("many.tprof", &info, &e);

    CHECK(w != NULL);
    wiregen_hello(&stream, &(struct wiregen_hello){.boot = 1,
                                                   .cores = 1,
                                                   .tsc_hz = SECOND,
                                                   .text_start = 0x400000,
                                                   .text_size = 0x400000});
    wiregen_samples_begin(&stream, &(struct wiregen_samples){.shift = SHIFT,
                                                             .period = PERIOD,
                                                             .epoch = 1});
    wiregen_stack(&stream, &(struct wiregen_stack){
                               .id = 1, .frames = frames, .count = 1});
    wiregen_samples_end(&stream, (uint64_t[4]){0});
    for (uint32_t i = 0; i < SMALL; i++)
        put_sample(0x2000 + i * 16);
    for (uint32_t i = 0; i < LARGE; i++)
        put_sample(i % 2 == 0 ? A_LEAF : B_LEAF);
    CHECK_EQ(recording_append(w, stream.bytes, stream.size, 1, &e), 0);
    CHECK_EQ(recording_close(w, &e), 0);
    wiregen_fini(&stream);
}

/* The sum of all numbers behind (key), from (from) to before (to). */
static uint64_t sum_of(const char *from, const char *to, const char *key)
{
    uint64_t sum = 0;

    for (const char *at = from; (at = strstr(at, key)) != NULL && at < to;) {
        at += strlen(key);
        sum += strtoull(at, NULL, 10);
    }
    return sum;
}

static uint64_t number_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    CHECK(at != NULL);
    return strtoull(at + strlen(key), NULL, 10);
}

/* catches: a file of 600 MB from a stream of 4, and what is not told missing in
 * the sums */
TEST(small_functions_are_one)
{
    struct stat st;

    enter_dir();
    record_many();
    CHECK_EQ(collector("report many.tprof -o many.json"), 0);
    CHECK_EQ(stat("many.json", &st), 0);
    CHECK(st.st_size < (1 << 20));
    const char *text = strdup(text_of("many.json"));
    const char *total = strstr(text, "\"total\":{\"all\":");
    const char *table = strstr(total, "\"table\":");
    const char *tree = strstr(table, "\"tree\":");
    const char *idle = strstr(tree, "\"idle_tree\":");

    CHECK(number_of(text, "\"stacks_astray\":0,\"folded\":") >= SMALL);
    CHECK_EQ(number_of(total, "\"busy\":{\"samples\":"), SMALL + LARGE);
    CHECK_EQ(sum_of(table, tree, "\"self\":{\"samples\":"), SMALL + LARGE);
    CHECK_EQ(sum_of(tree, idle, "\"self\":{\"samples\":"), SMALL + LARGE);
    /* the others first: they have most */
    CHECK_EQ(number_of(table, "\"self\":{\"samples\":"), SMALL);
    CHECK_CONTAINS("many.json", "\"name\":\"0x7f0000\"");
    CHECK_CONTAINS("many.json", "\"name\":\"0x7f8000\"");
    CHECK(!contains("many.json", "\"name\":\"0x402000\""));
    free((char *)(uintptr_t)text);
}
