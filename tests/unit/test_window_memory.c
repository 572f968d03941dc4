/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a window packer: the packer asks for more before samples are
 * lost, and counts samples that are lost because there was none. */
#include "check.h"

#include <stdlib.h>

#include "profile/decode/decode.h"
#include "recording/spool/spool_window.h"
#include "wiregen.h"

#define BATCH   20u
#define BATCHES 200u
#define STEP    4096u

/* Send BATCHES frames of BATCH samples, each with (stacks) new stacks. With
 * (gives), the packer gets STEP bytes whenever it wants memory. */
static struct spool_window_bytes pack(unsigned stacks, bool gives, bool *full,
                                      bool *reset)
{
    struct window_packer *packer = window_packer_new(STEP, STEP);
    struct decode *decode = decode_new(&window_events, packer);
    struct spool_window_bytes window;
    struct recording_info info = {.version = "1"};
    struct wiregen wire = {0};
    struct err e;

    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 1,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = 0x400000});
    for (unsigned i = 0; i < BATCHES; i++) {
        struct wiregen_samples s = {.shift = 4, .period = 8000, .epoch = 1};

        s.time = (uint64_t)i * BATCH * 8000;
        wiregen_samples_begin(&wire, &s);
        for (unsigned k = 0; k < stacks; k++)
            wiregen_stack(&wire, &(struct wiregen_stack){
                                     .id = i * stacks + k + 1,
                                     .frames = (uint64_t[]){0x100 * i + k},
                                     .count = 1});
        for (unsigned k = 0; k < BATCH; k++)
            wiregen_short(&wire, 1, 8000, 0x100, 0);
        wiregen_samples_end(&wire,
                            (uint64_t[4]){(uint64_t)(i + 1) * BATCH, 0, 0, 0});
        CHECK_EQ(decode_feed(decode, wire.bytes, wire.size, &e), 0);
        wire.size = 0;
        while (gives && spool_window_wants_memory(packer))
            spool_window_allow(packer, STEP);
    }
    *full = spool_window_is_full(packer);
    *reset = spool_window_wants_reset(packer);
    CHECK_EQ(spool_window_cut(packer, &info, 0, 1000000000, false, &window, &e),
             0);
    decode_free(decode);
    window_packer_free(packer);
    wiregen_fini(&wire);
    return window;
}

TEST(a_packer_that_gets_memory_loses_nothing) /* catches: asking too late */
{
    bool full, reset;
    struct spool_window_bytes window = pack(0, true, &full, &reset);

    CHECK(!full);
    CHECK_EQ(window.samples, BATCH * BATCHES);
    CHECK_EQ(window.lost, 0);
    free(window.bytes);
}

/* 4 KiB have room for at most 170 samples of 24 bytes. Catches: growth beyond
 * the limit, and samples that are lost and not counted. */
TEST(a_packer_without_memory_counts_what_it_loses)
{
    bool full, reset;
    struct spool_window_bytes window = pack(0, false, &full, &reset);

    CHECK(full);
    CHECK(window.samples > 100 && window.samples <= 170);
    CHECK_EQ(window.samples + window.lost, BATCH * BATCHES);
    free(window.bytes);
}

TEST(stacks_get_the_memory_that_stacks_lack) /* catches: the wrong budget */
{
    bool full, reset;
    struct spool_window_bytes window = pack(10, true, &full, &reset);

    CHECK(!full && !reset);
    CHECK_EQ(window.lost, 0);
    free(window.bytes);
    window = pack(10, false, &full, &reset);
    CHECK(reset);
    free(window.bytes);
}
