/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's account: what was lost, and what contradicts itself. */
#include "check.h"

#include "decoded.h"

TEST(flipped_byte_costs_one_frame_exactly) /* catches: inexact loss */
{
    struct wiregen w = hello_stream();

    good_frame(&w, 10, 0);
    size_t second = w.size;

    good_frame(&w, 20, 10);
    size_t third = w.size;

    good_frame(&w, 30, 30);
    w.bytes[second + 40] ^= 0x10;
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.skipped, third - second);
    CHECK_EQ(health.damaged, 1);
    CHECK_EQ(health.lost_frames, 1);
    CHECK_EQ(seen.gaps, 1);
    CHECK_EQ(seen.samples_n, 40);
    CHECK_EQ(seen.account[0].samples, 40);
    CHECK_EQ(seen.account[0].lost, 20);
    CHECK_EQ(seen.account[0].violations, 0);
    CHECK_EQ(seen.losses_n, 1);
    CHECK_EQ(seen.losses[0].reason, LOSS_TRANSPORT);
    CHECK_EQ(seen.losses[0].ticks, 20);
    wiregen_fini(&w);
}

TEST(stacks_are_unknown_after_a_gap) /* catches: the wrong stack believed */
{
    static const uint64_t frames[] = {0x99};
    struct wiregen w = hello_stream();

    good_frame(&w, 1, 0);
    w.seq++; /* a lost frame: it may have redefined stack 1 */
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_short(&w, 1, 100, 0x100, 0);
    wiregen_stack(&w, &(struct wiregen_stack){.id = 2, .shared = 1});
    wiregen_short(&w, 2, 100, 0x100, 0); /* built upon what was lost */
    wiregen_stack(
        &w, &(struct wiregen_stack){.id = 1, .frames = frames, .count = 1});
    wiregen_short(&w, 1, 100, 0x100, 0); /* known again */
    wiregen_stack(&w, &(struct wiregen_stack){.id = 2, .shared = 1});
    wiregen_short(&w, 2, 100, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){5, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(seen.samples_n, 5);
    CHECK_EQ(seen.samples[1].sample.stack, STACK_UNKNOWN);
    CHECK_EQ(seen.samples[1].sample.leaf, TEXT + 0x100);
    CHECK_EQ(seen.samples[2].sample.stack, STACK_UNKNOWN);
    CHECK_EQ(seen.samples[3].sample.stack, 2);
    CHECK_EQ(seen.samples[4].sample.stack, 3);
    CHECK_EQ(seen.stacks[2].frames[0], TEXT + 0x99);
    CHECK_EQ(seen.account[0].unknown_stack, 2);
    CHECK_EQ(seen.account[0].violations, 0);
    wiregen_fini(&w);
}

TEST(new_epoch_empties_the_dictionary) /* catches: ids that outlive a RESET */
{
    struct wiregen w = hello_stream();

    good_frame(&w, 1, 0);
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 2});
    wiregen_short(&w, 1, 100, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){2, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.samples[1].sample.stack, STACK_UNKNOWN);
    CHECK_EQ(seen.account[0].unknown_stack, 1);
    wiregen_fini(&w);
}

TEST(counters_that_contradict_records_are_violations) /* catches: silent lies */
{
    struct wiregen w = hello_stream();

    good_frame(&w, 5, 0);
    good_frame(&w, 5, 6); /* one more than was sent, and no gap */
    good_frame(&w, 5, 3); /* going backwards */
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].violations, 2);
    CHECK_EQ(seen.account[0].samples, 15);
    CHECK_EQ(seen.account[0].lost, 1);
    wiregen_fini(&w);
}

/* The guest is saved after its second frame, sends a third one, and is set
 * back: the next frame that comes has the third one's number, or an earlier
 * one. */
TEST(guest_that_is_set_back_is_no_contradiction) /* catches: "a defect" */
{
    for (uint16_t back = 1; back <= 2; back++) {
        struct wiregen w = hello_stream();

        good_frame(&w, 10, 0);
        good_frame(&w, 10, 10);
        good_frame(&w, 10, 20);
        w.seq = (uint16_t)(w.seq - back);
        good_frame(&w, 5, 20);
        good_frame(&w, 5, 25);
        CHECK_EQ(decode_all(&w), 0);
        CHECK_EQ(seen.account[0].violations, 0);
        CHECK_EQ(seen.account[0].restored, 1);
        CHECK_EQ(seen.account[0].samples, 40); /* all that came */
        CHECK_EQ(seen.account[0].lost, 0);
        CHECK_EQ(health.lost_frames, 0);
        CHECK_EQ(seen.gaps, 1);
        wiregen_fini(&w);
    }
}

/* A collector is led from one clone to another, or to the same guest again. */
TEST(session_of_an_earlier_state_is_no_contradiction)
{
    struct wiregen w = hello_stream();

    good_frame(&w, 10, 0);
    good_frame(&w, 10, 10);
    struct wiregen again = hello_stream(); /* the same boot id */

    wiregen_bytes(&w, again.bytes, again.size);
    w.seq = again.seq;
    good_frame(&w, 5, 10);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].violations, 0);
    CHECK_EQ(seen.account[0].restored, 1);
    CHECK_EQ(seen.account[0].samples, 25);
    CHECK_EQ(seen.account[0].lost, 0);
    wiregen_fini(&again);
    wiregen_fini(&w);
}

TEST(missed_must_match_the_weights) /* catches: weights that nobody counted */
{
    struct wiregen w = hello_stream();

    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_long_sample(&w, &(struct wiregen_long){.id = 1, .weight = 4});
    wiregen_samples_end(&w, (uint64_t[4]){1, 3, 0, 0});
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_long_sample(&w, &(struct wiregen_long){.id = 1, .weight = 4});
    wiregen_samples_end(&w, (uint64_t[4]){2, 5, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].violations, 1);
    wiregen_fini(&w);
}

/* Catches: counting what is on its way */
TEST(live_stats_do_not_touch_the_account)
{
    struct wiregen w = hello_stream();

    good_frame(&w, 5, 0);
    wiregen_stats(&w, &(struct wiregen_stats){.counters = {100, 0, 0, 0}});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 5);
    CHECK_EQ(seen.account[0].lost, 0);
    CHECK(!seen.account[0].complete);
    wiregen_fini(&w);
}

TEST(final_stats_that_do_not_add_up_are_a_violation) /* catches: blind trust */
{
    struct wiregen w = hello_stream();

    good_frame(&w, 5, 0);
    wiregen_stats(&w, &(struct wiregen_stats){.flags = WIRE_STATS_FINAL,
                                              .counters = {5, 0, 0, 0},
                                              .extra_ticks = 1});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].violations, 1);
    wiregen_fini(&w);
}

TEST(gap_excuses_one_difference_only) /* catches: checks that end with a gap */
{
    struct wiregen w = hello_stream();

    good_frame(&w, 5, 0);
    w.seq++;
    good_frame(&w, 5, 7);  /* 2 lost in the gap */
    good_frame(&w, 5, 13); /* 1 vanished without one */
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].lost, 3);
    CHECK_EQ(seen.account[0].violations, 1);
    wiregen_fini(&w);
}

/* Catches: a violation where a host says START after STOP; found by
 * simulation */
TEST(missed_of_lost_samples_outlives_final_stats)
{
    struct wiregen w = hello_stream();

    good_frame(&w, 5, 0);
    w.seq++; /* 2 samples, and before them 31 deadlines that were missed */
    wiregen_stats(&w, &(struct wiregen_stats){.flags = WIRE_STATS_FINAL,
                                              .counters = {7, 31, 0, 0}});
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_short(&w, 1, 100, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){8, 31, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 6);
    CHECK_EQ(seen.account[0].lost, 2);
    CHECK_EQ(seen.account[0].missed, 31);
    CHECK_EQ(seen.account[0].violations, 0);
    wiregen_fini(&w);
}

TEST(lost_ends_at_the_next_record) /* catches: bursts at the frame's end */
{
    struct wiregen w = hello_stream();

    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_short(&w, 1, 100, 0x100, 0);
    wiregen_lost(&w, 3, 8, 0);
    wiregen_short(&w, 1, 50, 0x100, 0);
    wiregen_short(&w, 1, 1000, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){3, 0, 0, 8});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.losses_n, 1);
    CHECK_EQ(seen.losses[0].reason, LOSS_REENTERED);
    CHECK_EQ(seen.losses[0].from_tsc, 100 << 4);
    CHECK_EQ(seen.losses[0].to_tsc, 150 << 4);
    CHECK_EQ(seen.account[0].reentered, 8);
    CHECK_EQ(seen.account[0].violations, 0);
    wiregen_fini(&w);
}

/* Catches: counts of one guest that wrap in sums, so that more than all of its
 * samples are lost */
TEST(counts_beyond_sense_end_at_a_limit)
{
    struct wiregen w = hello_stream();

    good_frame(&w, 5, 0);
    w.seq++;
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_samples_end(&w, (uint64_t[4]){1ull << 63, 0, 1ull << 63, 7});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].samples, 5);
    CHECK_EQ(seen.account[0].lost, 1ull << 42);
    CHECK_EQ(seen.account[0].ring_full, 1ull << 42);
    CHECK_EQ(seen.account[0].reentered, 7);
    CHECK_EQ(seen.account[0].violations, 1);
    CHECK(account_ticks(&seen.account[0]) > seen.account[0].lost);
    wiregen_fini(&w);
}
