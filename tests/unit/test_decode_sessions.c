/* SPDX-License-Identifier: BSD-2-Clause */
/* The account over sessions and boots: where it begins, and what is missing
 * before the first frame and after the last. */
#include <string.h>

#include "check.h"

#include "decoded.h"

#define SINCE_2_2 0x0202

/* HELLO of (boot), at number 0. */
static void hello(struct wiregen *w, uint8_t boot, uint16_t cores)
{
    wiregen_hello(w, &(struct wiregen_hello){.version = SINCE_2_2,
                                             .boot = boot,
                                             .cores = cores,
                                             .tsc_hz = 1000000000,
                                             .text_start = TEXT,
                                             .text_size = 0x10000});
}

/* SAMPLES of core 0: BEGIN, (n) samples after (before). */
static void first_frame(struct wiregen *w, uint64_t n, uint64_t before)
{
    wiregen_samples_begin(
        w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_begin(w, 16000, 4, 8000, 1);
    for (uint64_t i = 0; i < n; i++)
        wiregen_short(w, 1, 8000, 0x100, 0);
    wiregen_samples_end(w, (uint64_t[4]){before + n, 0, 0, 0});
}

static void stats(struct wiregen *w, uint8_t flags, uint64_t samples,
                  uint64_t began)
{
    wiregen_stats(
        w, &(struct wiregen_stats){.flags = flags,
                                   .counters = {samples, 0, 0, 0},
                                   .began = (uint64_t[4]){began, 0, 0, 0}});
}

static void final(struct wiregen *w, uint64_t samples, uint64_t began)
{
    stats(w, WIRE_STATS_FINAL, samples, began);
}

/* H1: 86,856 ticks were lost before this session, for another host. */
TEST(losses_before_the_first_begin_are_an_earlier_sessions)
{
    struct wiregen w = hello_stream(); /* of wire 2.0 */

    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_lost(&w, WIRE_COUNTER_RING_FULL, 86856, 7);
    wiregen_begin(&w, 16000, 4, 8000, 1);
    wiregen_short(&w, 1, 8000, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){501, 9, 86856, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 1);
    CHECK_EQ(seen.account[0].ring_full, 0);
    CHECK_EQ(seen.account[0].missed, 0);
    CHECK_EQ(seen.account[0].violations, 0);
    CHECK_EQ(seen.losses_n, 0);
    wiregen_fini(&w);
}

/* Since 2.2 such losses are this session's: its ring was full at once. */
TEST(losses_before_the_first_begin_count_since_2_2)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_lost(&w, WIRE_COUNTER_RING_FULL, 3, 1);
    wiregen_begin(&w, 16000, 4, 8000, 1);
    wiregen_short(&w, 1, 8000, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){501, 9, 103, 0});
    wiregen_stats(
        &w, &(struct wiregen_stats){.flags = WIRE_STATS_FINAL,
                                    .counters = {501, 9, 103, 0},
                                    .began = (uint64_t[4]){500, 8, 100, 0}});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].ring_full, 3);
    CHECK_EQ(seen.account[0].missed, 1);
    CHECK(account_is_exact(&seen.account[0]));
    wiregen_fini(&w);
}

/* H2: frames lost before the first one that came. */
TEST(stats_tell_what_was_lost_before_the_first_frame)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    w.seq += 3; /* 30 samples were in them, after 500 of earlier sessions */
    good_frame(&w, 10, 530);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].lost, 0);
    CHECK_EQ(seen.account[0].begin_unknown, 1);
    stats(&w, 0, 560, 500);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 10);
    CHECK_EQ(seen.account[0].lost, 30);
    CHECK_EQ(seen.account[0].begin_unknown, 0);
    CHECK_EQ(seen.losses_n, 1);
    CHECK_EQ(seen.losses[0].ticks, 30);
    good_frame(&w, 20, 540);
    final(&w, 560, 500);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 30);
    CHECK_EQ(seen.account[0].lost, 30);
    CHECK(account_is_exact(&seen.account[0]));
    wiregen_fini(&w);
}

/* H2: a whole core. */
TEST(core_of_which_only_stats_came_has_its_losses)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    w.seq += 42;
    wiregen_stats(
        &w, &(struct wiregen_stats){.core = 3,
                                    .flags = WIRE_STATS_FINAL,
                                    .counters = {3790, 1200, 7, 1},
                                    .began = (uint64_t[4]){0, 100, 2, 0}});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[3].samples, 0);
    CHECK_EQ(seen.account[3].lost, 3790);
    CHECK_EQ(seen.account[3].missed, 1100);
    CHECK_EQ(seen.account[3].ring_full, 5);
    CHECK_EQ(seen.account[3].reentered, 1);
    CHECK(account_is_exact(&seen.account[3]));
    wiregen_fini(&w);
}

/* The same in an older stream: nobody knows, and that is said. */
TEST(missing_beginning_is_unknown_before_2_2)
{
    struct wiregen w = hello_stream();

    w.seq += 3;
    good_frame(&w, 10, 530);
    wiregen_stats(&w, &(struct wiregen_stats){.flags = WIRE_STATS_FINAL,
                                              .counters = {540, 0, 0, 0}});
    wiregen_stats(&w, &(struct wiregen_stats){.core = 2,
                                              .flags = WIRE_STATS_FINAL,
                                              .counters = {99, 0, 0, 0}});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 10);
    CHECK_EQ(seen.account[0].begin_unknown, 1);
    CHECK(!account_is_exact(&seen.account[0]));
    CHECK_EQ(seen.account[2].begin_unknown, 1);
    wiregen_fini(&w);
}

TEST(gap_before_the_first_frame_may_have_been_anothers)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    w.seq++; /* of core 1 */
    first_frame(&w, 10, 500);
    final(&w, 510, 500);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].lost, 0);
    CHECK(account_is_exact(&seen.account[0]));
    wiregen_fini(&w);
}

/* Catches: a guest that counts from elsewhere than it says */
TEST(beginning_that_contradicts_the_first_frame_is_a_violation)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    first_frame(&w, 10, 500);
    final(&w, 510, 490);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].violations, 1);
    wiregen_fini(&w);
}

/* Found by simulation: a one-way stream, a byte of whose second HELLO flips. */
TEST(session_whose_hello_was_lost_is_no_contradiction)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    first_frame(&w, 10, 0);
    w.seq += 9; /* the rest of it, and HELLO */
    first_frame(&w, 5, 100);
    stats(&w, 0, 105, 100);
    final(&w, 105, 100);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].violations, 0);
    CHECK_EQ(seen.account[0].cut, 1);
    CHECK(!account_is_exact(&seen.account[0]));
    wiregen_fini(&w);
}

/* M13: boot 1 ends in the middle, boot 2 in order. */
TEST(boot_that_was_cut_says_so_for_ever_after)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    first_frame(&w, 10, 0);
    w.seq = 0;
    hello(&w, 2, 4);
    first_frame(&w, 5, 0);
    final(&w, 5, 0);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 15);
    CHECK(seen.account[0].complete);
    CHECK_EQ(seen.account[0].cut, 1);
    CHECK(!account_is_exact(&seen.account[0]));
    wiregen_fini(&w);
}

TEST(boots_that_ended_in_order_are_exact_together)
{
    struct wiregen w = {0};

    for (uint8_t boot = 1; boot <= 3; boot++) {
        w.seq = 0;
        hello(&w, boot, 4);
        first_frame(&w, 10, 0);
        w.seq++; /* 4 samples */
        final(&w, 14, 0);
    }
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 30);
    CHECK_EQ(seen.account[0].lost, 12);
    CHECK(account_is_exact(&seen.account[0]));
    wiregen_fini(&w);
}

/* Catches: the core that ended well in boot 1, and of which boot 2 tells
 * nothing, called complete */
TEST(core_of_which_a_later_boot_tells_nothing_is_not_complete)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    first_frame(&w, 10, 0);
    final(&w, 10, 0);
    w.seq = 0;
    hello(&w, 2, 4);
    w.seq += 9;
    CHECK_EQ(decode_all(&w), 0);
    CHECK(!seen.account[0].complete);
    wiregen_fini(&w);
}

/* M14 */
TEST(repeated_hello_with_other_cores_makes_no_sense)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    first_frame(&w, 10, 0);
    w.seq = 0;
    hello(&w, 1, 1);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.hellos, 1);
    CHECK_EQ(seen.guest.cores, 4);
    CHECK_EQ(health.malformed, 1);
    CHECK(strstr(health.first_malformed, "another number of cores"));
    wiregen_fini(&w);
}

/* L20: "Frames lost on the way: 65535" */
TEST(frame_that_comes_again_is_left_out)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    first_frame(&w, 10, 0);
    size_t second = w.size;

    good_frame(&w, 10, 10);
    size_t third = w.size;

    good_frame(&w, 10, 20);
    wiregen_bytes(&w, w.bytes + second, third - second);
    final(&w, 30, 0);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 30);
    CHECK_EQ(health.lost_frames, 0);
    CHECK_EQ(health.left_out, 1);
    CHECK_EQ(seen.gaps, 0);
    CHECK(account_is_exact(&seen.account[0]));
    wiregen_fini(&w);
}

TEST(swapped_frames_cost_the_one_that_came_late)
{
    struct wiregen w = {0}, late = {0};

    hello(&w, 1, 4);
    first_frame(&w, 10, 0);
    late.seq = w.seq++;
    good_frame(&late, 7, 10);
    good_frame(&w, 10, 17);
    wiregen_bytes(&w, late.bytes, late.size);
    good_frame(&w, 10, 27);
    final(&w, 37, 0);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 30);
    CHECK_EQ(seen.account[0].lost, 7);
    CHECK_EQ(seen.account[0].restored, 0);
    CHECK_EQ(health.lost_frames, 1);
    CHECK_EQ(health.left_out, 1);
    CHECK(account_is_exact(&seen.account[0]));
    wiregen_fini(&late);
    wiregen_fini(&w);
}

/* A copy of the HELLO, of this boot or of the one before, amid the frames. */
TEST(hello_that_comes_again_opens_nothing)
{
    for (uint8_t boot = 1; boot <= 2; boot++) {
        struct wiregen w = {0};
        uint16_t seq;

        hello(&w, 2, 4);
        first_frame(&w, 10, 0);
        good_frame(&w, 10, 10);
        seq = w.seq;
        w.seq = 0;
        hello(&w, boot, 4);
        w.seq = seq;
        good_frame(&w, 10, 20);
        final(&w, 30, 0);
        CHECK_EQ(decode_all(&w), 0);
        CHECK_EQ(seen.account[0].samples, 30);
        CHECK_EQ(health.lost_frames, 0);
        CHECK_EQ(health.left_out, 1);
        CHECK(account_is_exact(&seen.account[0]));
        wiregen_fini(&w);
    }
}

/* Session 2's frame 1 is damaged, and session 1 had no more than that. */
TEST(damage_behind_a_hello_does_not_make_it_a_copy)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    final(&w, 0, 0);
    w.seq = 0;
    hello(&w, 1, 4);
    first_frame(&w, 10, 0);
    w.bytes[w.size - 1] ^= 1;
    good_frame(&w, 20, 10);
    final(&w, 30, 0);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 20);
    CHECK_EQ(seen.account[0].lost, 10);
    CHECK_EQ(health.lost_frames, 1);
    CHECK_EQ(health.left_out, 0);
    CHECK(account_is_exact(&seen.account[0]));
    wiregen_fini(&w);
}

/* A one-way stream that is read from its middle on. */
TEST(stream_that_begins_late_is_not_exact)
{
    struct wiregen w = {0};

    hello(&w, 1, 4);
    w.bytes[4] = 77; /* its sequence number */
    w.size -= 4;
    wiregen_uint(&w, wiregen_crc(w.bytes, w.size), 4);
    w.seq = 78;
    good_frame(&w, 10, 100);
    final(&w, 110, 0);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 10);
    CHECK_EQ(seen.account[0].lost, 0);
    CHECK(!account_is_exact(&seen.account[0]));
    wiregen_fini(&w);
}
