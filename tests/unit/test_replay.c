/* SPDX-License-Identifier: BSD-2-Clause */
/* The pipeline on files: raw captures that are wrong, cut, or not there. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "fake_guest.h"
#include "guest/pipeline.h"
#include "run_alone.h"
#include "wiregen.h"

static struct err error;

static int hello(void *context, const struct guest *g, struct err *e)
{
    (void)context;
    return g->cores == 1 ? 0 : err_set(e, "wrong guest");
}

static const struct pipeline_config config = {.hello = hello};

TEST(wrong_guest_fails_with_its_reason) /* catches: profiles of a wrong ELF */
{
    struct wiregen w = {0};
    enum pipeline_end end;

    make_dir();
    wiregen_hello(&w, &(struct wiregen_hello){.boot = 1, .cores = 2});
    FILE *f = fopen(record_path, "wb");

    CHECK_EQ(fwrite(w.bytes, 1, w.size, f), w.size);
    fclose(f);
    struct pipeline *p =
        pipeline_new(source_replay(record_path, &error), &config, &error);

    CHECK_EQ(run_alone(p, 0, -1, &end, &error), -1);
    CHECK_STR(error.text, "wrong guest");
    CHECK_EQ(pipeline_profile(p)->health.frames, 1);
    pipeline_free(p);
    wiregen_fini(&w);
    remove_dir();
}

/* Catches: a tail that is not decoded */
TEST(end_of_a_file_frees_what_is_stuck)
{
    struct wiregen w = {0};
    enum pipeline_end end;

    make_dir();
    wiregen_hello(&w, &(struct wiregen_hello){.boot = 1, .cores = 1});
    /* a frame that says 4096 bytes follow, which never come */
    wiregen_bytes(&w, "\x54\x9d\x02\x00\x01\x00\x00\x10", 8);
    wiregen_samples_begin(&w, &(struct wiregen_samples){.epoch = 1});
    wiregen_short(&w, 1, 1, 1, 0);
    wiregen_samples_end(&w, (uint64_t[4]){1, 0, 0, 0});
    FILE *f = fopen(record_path, "wb");

    CHECK_EQ(fwrite(w.bytes, 1, w.size, f), w.size);
    fclose(f);
    struct pipeline *p =
        pipeline_new(source_serial(record_path, &error), &config, &error);

    CHECK_EQ(run_alone(p, 0, -1, &end, &error), 0);
    CHECK_EQ(end, PIPELINE_SOURCE_END);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 1);
    CHECK_EQ(pipeline_profile(p)->health.skipped, 8);
    pipeline_free(p);
    wiregen_fini(&w);
    remove_dir();
}

TEST(missing_file_is_an_error) /* catches: waiting for a recording to appear */
{
    enum pipeline_end end;
    struct pipeline *p =
        pipeline_new(source_replay("/nonexistent", &error), &config, &error);

    CHECK_EQ(run_alone(p, 0, -1, &end, &error), -1);
    CHECK(strstr(error.text, "/nonexistent: No such file") != NULL);
    pipeline_free(p);
}

/* A recording of one core that sends a stack of number (id), and a sample. */
static void record_stack(uint32_t id)
{
    struct wiregen w = {0};

    wiregen_hello(&w, &(struct wiregen_hello){.boot = 1, .cores = 1});
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_stack(&w, &(struct wiregen_stack){.id = id});
    wiregen_short(&w, id, 8000, 0x104, 0);
    wiregen_samples_end(&w, (uint64_t[4]){1, 0, 0, 0});
    FILE *f = fopen(record_path, "wb");

    CHECK_EQ(fwrite(w.bytes, 1, w.size, f), w.size);
    fclose(f);
    wiregen_fini(&w);
}

/* Replay the recording in (memory) bytes. */
static int replay_in(uint64_t memory)
{
    struct pipeline_config small = {.aggregate = {.memory_max = memory}};
    enum pipeline_end end;
    struct pipeline *p =
        pipeline_new(source_replay(record_path, &error), &small, &error);
    int result = run_alone(p, 0, -1, &end, &error);

    pipeline_free(p);
    return result;
}

/* Catches: 80 KiB for a guest of 64 stacks, and dictionaries without limit */
TEST(dictionary_takes_the_memory_that_its_stacks_need)
{
    make_dir();
    record_stack(64);
    CHECK_EQ(replay_in(40u << 10), 0);
    record_stack(8191); /* of 64 KiB */
    CHECK_EQ(replay_in(71u << 10), -1);
    CHECK(strstr(error.text,
                 "may need 72 KiB of memory, but the guest's share is "
                 "71 KiB") != NULL);
    CHECK_EQ(replay_in(72u << 10), 0);
    remove_dir();
}

/* Catches: one guest that takes it all */
TEST(guest_with_more_cores_than_its_memory_is_refused)
{
    struct pipeline_config small = {.aggregate = {.memory_max = 256u << 10},
                                    .memory_all = 1u << 30};
    struct wiregen w = {0};
    enum pipeline_end end;

    make_dir();
    wiregen_hello(&w, &(struct wiregen_hello){.boot = 1, .cores = 17});
    FILE *f = fopen(record_path, "wb");

    CHECK_EQ(fwrite(w.bytes, 1, w.size, f), w.size);
    fclose(f);
    struct pipeline *p =
        pipeline_new(source_replay(record_path, &error), &small, &error);

    CHECK_EQ(run_alone(p, 0, -1, &end, &error), -1);
    CHECK(strstr(error.text, "stacks of 17 cores may need 272 KiB") != NULL);
    CHECK(strstr(error.text, "type --memory 1089M") != NULL);
    pipeline_free(p);
    small.aggregate.memory_max = 1089u << 8;
    p = pipeline_new(source_replay(record_path, &error), &small, &error);
    CHECK_EQ(run_alone(p, 0, -1, &end, &error), 0);
    pipeline_free(p);
    wiregen_fini(&w);
    remove_dir();
}
