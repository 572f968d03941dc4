/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder on frames that no agent sends: each is refused, no more. */
#include "check.h"

#include <string.h>

#include "decoded.h"

/* Bodies that no agent sends: each is one malformed frame, and no more. */

static void expect_malformed(struct wiregen *w, const char *why)
{
    CHECK_EQ(decode_all(w), 0);
    CHECK_EQ(health.malformed, 1);
    if (!strstr(health.first_malformed, why))
        CHECK_STR(health.first_malformed, why);
    wiregen_fini(w);
}

/* A SAMPLES frame with one long record of (type), of (size) bytes. */
static void expect_bad_record(uint8_t type, const char *body, size_t size,
                              const char *why)
{
    struct wiregen w = hello_stream();

    wiregen_samples_begin(&w, &(struct wiregen_samples){.epoch = 1});
    wiregen_short(&w, 1, 1, 1, 0);
    wiregen_long_begin(&w, type);
    wiregen_bytes(&w, body, size);
    wiregen_long_end(&w);
    wiregen_short(&w, 1, 1, 1, 0);
    wiregen_samples_end(&w, (uint64_t[4]){3, 0, 0, 0});
    expect_malformed(&w, why);
    CHECK_EQ(seen.samples_n, 1); /* what came before it counts ... */
    CHECK_EQ(seen.account[0].samples, 1);
    CHECK_EQ(seen.account[0].lost + seen.account[0].samples <= 3, 1);
    CHECK_EQ(seen.account[0].violations, 0); /* ... what follows is lost */
}

/* Catches: counts and lengths that are believed */
TEST(bad_records_are_refused)
{
    expect_bad_record(1, "\x80\x80\x80\x80\x80", 5, "long sample is cut");
    expect_bad_record(1, "\x01\x01\x01\x00\x00\x00", 6, "weight 0");
    expect_bad_record(2, "\x80\x80\x80\x80\x80", 5, "STACK record is cut");
    expect_bad_record(2, "\x80\x40\x00\x00\x00\x00", 6, "beyond 8191");
    expect_bad_record(2, "\x01\x00\x10\x00\x00", 5, "unknown slots");
    expect_bad_record(2, "\x01\x00\x00\x00\x80\x01", 6, "127 frames");
    expect_bad_record(2, "\x01\x00\x00\x00\x7f", 5, "STACK record is cut");
    expect_bad_record(
        2, "\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 14,
        "127 frames");
    expect_bad_record(3, "\x80\x80\x80\x80\x80", 5, "BEGIN record is cut");
    expect_bad_record(3, "\x01\x29\x01\x01", 4, "out of range");
    expect_bad_record(3, "\x01\x01\x80\x80\x04\x01", 6, "out of range");
    expect_bad_record(4, "\x80\x80\x80\x80\x80", 5, "LOST record is cut");
}

/* Catches: samples that stand for no time, so that shares are 0 of 0 */
TEST(samples_without_a_period_are_refused)
{
    struct wiregen w = hello_stream();

    good_frame(&w, 1, 0);
    wiregen_samples_begin(&w, &(struct wiregen_samples){.epoch = 1});
    wiregen_short(&w, 1, 1, 1, 0);
    wiregen_begin(&w, 1000, 0, 0, 2);
    wiregen_short(&w, 1, 1, 1, 0);
    wiregen_short(&w, 1, 1, 1, 0);
    wiregen_begin(&w, 2000, 0, 1000, 3);
    wiregen_short(&w, 1, 1, 1, 0);
    wiregen_samples_end(&w, (uint64_t[4]){5, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 1);
    CHECK_STR(strstr(health.first_malformed, "samples of a"),
              "samples of a period of 0");
    CHECK_EQ(seen.account[0].samples, 2); /* before the wrong ones */
    CHECK_EQ(seen.account[0].lost, 3);
    CHECK_EQ(seen.account[0].violations, 0);
    wiregen_fini(&w);
}

/* Catches: reads before chain */
TEST(stack_of_more_frames_than_the_last_is_refused)
{
    struct wiregen w = hello_stream();

    good_frame(&w, 1, 0); /* its stack has 3 frames */
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_stack(&w, &(struct wiregen_stack){.id = 2, .shared = 4});
    wiregen_samples_end(&w, (uint64_t[4]){1, 0, 0, 0});
    expect_malformed(&w, "shares more frames");
}

TEST(stack_counts_that_overflow_are_refused) /* catches: n + s computed first */
{
    static const uint64_t huge[][2] = {{1, UINT64_MAX}, {UINT64_MAX, 1}};

    for (int i = 0; i < 2; i++) {
        struct wiregen w = hello_stream();

        good_frame(&w, 1, 0); /* so that frames can be shared */
        wiregen_samples_begin(&w, &(struct wiregen_samples){
                                      .shift = 4, .period = 8000, .epoch = 1});
        wiregen_long_begin(&w, WIRE_LONG_STACK);
        wiregen_bytes(&w, "\x01\x00\x00", 3);
        wiregen_varint(&w, huge[i][0]);
        wiregen_varint(&w, huge[i][1]);
        wiregen_long_end(&w);
        wiregen_samples_end(&w, (uint64_t[4]){1, 0, 0, 0});
        expect_malformed(&w, "127 frames");
    }
}

/* Catches: counters of nothing */
TEST(samples_without_all_counters_are_refused)
{
    struct wiregen w = hello_stream();

    wiregen_samples_begin(&w, &(struct wiregen_samples){.epoch = 1});
    wiregen_short(&w, 1, 1, 1, 0);
    w.bytes[w.cells - 2] = 1;
    wiregen_bytes(&w, "\x03\x01\x00\x00\x00", 5); /* says 3 */
    wiregen_close(&w);
    expect_malformed(&w, "shorter than its header states");
    CHECK_EQ(seen.samples_n, 0);
}

/* Catches: a long record that runs on */
TEST(record_beyond_the_frame_is_refused)
{
    for (uint8_t cells = 0; cells < 3; cells += 2) {
        struct wiregen w = hello_stream();

        wiregen_samples_begin(&w, &(struct wiregen_samples){.epoch = 1});
        wiregen_uint(&w, 3, 1);
        wiregen_uint(&w, cells, 1); /* 0, or 2 where there is 1 */
        wiregen_uint(&w, 0, 5);
        wiregen_samples_end(&w, (uint64_t[4]){1, 0, 0, 0});
        expect_malformed(&w, "beyond the frame");
    }
}

static void expect_bad_body(uint8_t type, const void *body, size_t size,
                            const char *why)
{
    struct wiregen w = hello_stream();

    wiregen_open(&w, type);
    wiregen_bytes(&w, body, size);
    wiregen_close(&w);
    expect_malformed(&w, why);
    CHECK_EQ(seen.samples_n, 0);
}

TEST(bad_bodies_are_refused) /* catches: lengths that are believed */
{
    uint8_t samples[18] = {0};

    expect_bad_body(WIRE_SAMPLES, "", 0, "core that HELLO does not have");
    expect_bad_body(WIRE_SAMPLES, samples, 17, "core that HELLO");
    expect_bad_body(WIRE_SAMPLES, samples, 18,
                    "shorter than its header states");
    samples[16] = 1; /* a cell that is not there */
    expect_bad_body(WIRE_SAMPLES, samples, 18,
                    "shorter than its header states");
    samples[3] = 41;
    expect_bad_body(WIRE_SAMPLES, samples, 18, "sensible header");
    samples[0] = 4;
    expect_bad_body(WIRE_SAMPLES, samples, 18, "core that HELLO");
    expect_bad_body(WIRE_STATS, "\x01", 1, "STATS ends");
    expect_bad_body(WIRE_STATS, "\x01\x02\x00", 3, "STATS ends");
    expect_bad_body(WIRE_STATS, "\x01\x02\x00\x01", 4, "core that HELLO");
    expect_bad_body(WIRE_STATUS, "\x01\x04\x00", 3, "STATUS ends");
    expect_bad_body(WIRE_PONG, "\x01\xff", 2, "PONG ends");
    expect_bad_body(WIRE_HELLO, "", 0, "begin with its version");
    expect_bad_body(WIRE_HELLO, "\x05\x01\x01", 3, "begin with its version");
    expect_bad_body(WIRE_HELLO, "\x01\x02\x00\x01\x05\x01\x00", 7, "cores");
    expect_bad_body(WIRE_HELLO, "\x01\x02\x00\x01\x05\x02\x01\x04", 8, "cores");
    expect_bad_body(WIRE_HELLO, "\x01\x02\x00\x01\x05\x01\x01\x05", 8,
                    "HELLO ends");
    expect_bad_body(WIRE_HELLO, "\x01\x02\x00\x01\x04\x01\x01", 7, "16 bytes");
    expect_bad_body(WIRE_HELLO, "\x01\x02\x00\x01\x05\x01\x01\x0f\x02\x01\x20",
                    11, "8192");
    expect_bad_body(WIRE_HELLO,
                    "\x01\x02\x00\x01\x05\x01\x01\x06\x06\0\0\0\0\0\1", 15,
                    "1 THz");
}

TEST(text_of_a_guest_is_cut_to_fit) /* catches: an overflow by a long version */
{
    struct wiregen w = {0};
    char version[255];

    memset(version, 'v', sizeof version);
    wiregen_open(&w, WIRE_HELLO);
    wiregen_field(&w, 1, 0x0200, 2);
    wiregen_field_bytes(&w, 2, version, sizeof version);
    wiregen_field(&w, 5, 1, 1);
    wiregen_close(&w);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(strlen(seen.guest.agent_version), 31);
    wiregen_fini(&w);
}
