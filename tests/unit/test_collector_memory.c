/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each allocation between a recording and its profile fails once: what comes
 * out is an error or a profile that counts what it left out, and no leak.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "guest/pipeline.h"
#include "run_alone.h"
#include "wiregen.h"

static char path[] = "/tmp/test_collector_memory.XXXXXX";
static char copy[64];
static uint64_t sent;

/* A stream that makes every array grow at least once. */
static void write_stream(void)
{
    struct wiregen w = {0};
    int fd = mkstemp(path);

    wiregen_hello(
        &w, &(struct wiregen_hello){.boot = 1, .cores = 2, .tsc_hz = 1000000});
    for (uint16_t frame = 0; frame < 20; frame++) {
        uint16_t core = frame % 2;
        uint64_t before = frame / 2 * 20ull;

        wiregen_samples_begin(
            &w, &(struct wiregen_samples){.core = core,
                                          .shift = 4,
                                          .period = 8000,
                                          .epoch = 1,
                                          .time = frame * 500000ull});
        for (uint32_t i = 0; i < 20; i++) {
            uint64_t frames[] = {frame * 100u + i, i};

            wiregen_stack(&w, &(struct wiregen_stack){
                                  .id = i, .frames = frames, .count = 2});
            wiregen_short(&w, i, 8000, i, 0);
            sent++;
        }
        wiregen_samples_end(&w, (uint64_t[4]){before + 20, 0, 0, 0});
    }
    CHECK_EQ(write(fd, w.bytes, w.size), (ssize_t)w.size);
    close(fd);
    wiregen_fini(&w);
}

/* From file to profile, recording it again. Returns whether all is there. */
static bool run_once(void)
{
    struct pipeline_config config = {.record_path = copy};
    struct err e = {""};
    enum pipeline_end end;
    struct source *source = source_serial(path, &e);
    struct pipeline *p = source ? pipeline_new(source, &config, &e) : NULL;
    int result = p ? run_alone(p, 0, -1, &end, &e) : -1;
    const struct profile *profile = p ? pipeline_profile(p) : NULL;
    bool whole = result == 0 && profile;

    CHECK(result == 0 || strstr(e.text, "memory") != NULL);
    for (size_t i = 0; whole && i < profile->core_count; i++) {
        const struct profile_core *c = &profile->cores[i];

        /* nothing vanishes without being counted */
        CHECK(c->account.samples == 0 || c->total.samples == sent / 2);
    }
    if (whole)
        whole = profile->cores[0].folded == 0 &&
                profile->cores[1].folded == 0 && profile->refused_stacks == 0;
    pipeline_free(p);
    return whole;
}

TEST(every_allocation_may_fail) /* catches: a NULL that is used, and leaks */
{
    unsigned n = 1;

    write_stream();
    snprintf(copy, sizeof copy, "%s.tprof", path);
    for (;; n++) {
        alloc_fail_at(n);
        bool whole = run_once();

        if (!alloc_failed()) {
            CHECK(whole);
            break;
        }
    }
    CHECK(n > 15); /* else the loop has not seen them */

    /* and the same of reading the recording that this made */
    struct source *source = NULL;
    struct err e;

    for (n = 1;; n++) {
        alloc_fail_at(n);
        source = source_replay(copy, &e);
        int state = source ? (int)source->ops->open(source, &e) : -1;

        source_close(source);
        if (!alloc_failed()) {
            CHECK_EQ(state, SOURCE_OPEN);
            break;
        }
        CHECK_EQ(state, -1);
        CHECK(strstr(e.text, "out of memory") != NULL);
    }
    CHECK(n > 3);
    unlink(path);
    unlink(copy);
}
