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

/* Catches: one guest that takes it all */
TEST(guest_with_more_cores_than_its_memory_is_refused)
{
    struct pipeline_config small = {.aggregate = {.memory_max = 2u << 20}};
    struct wiregen w = {0};
    enum pipeline_end end;

    make_dir();
    wiregen_hello(&w, &(struct wiregen_hello){.boot = 1, .cores = 13});
    FILE *f = fopen(record_path, "wb");

    CHECK_EQ(fwrite(w.bytes, 1, w.size, f), w.size);
    fclose(f);
    struct pipeline *p =
        pipeline_new(source_replay(record_path, &error), &small, &error);

    CHECK_EQ(run_alone(p, 0, -1, &end, &error), -1);
    CHECK(strstr(error.text, "claims 13 cores, whose dictionaries may take "
                             "1040 KiB") != NULL);
    pipeline_free(p);
    small.aggregate.memory_max += 64u << 10;
    p = pipeline_new(source_replay(record_path, &error), &small, &error);
    CHECK_EQ(run_alone(p, 0, -1, &end, &error), 0);
    pipeline_free(p);
    wiregen_fini(&w);
    remove_dir();
}
