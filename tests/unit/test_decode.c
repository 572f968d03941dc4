/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder on bytes by hand: what each kind says, frames, sessions. */
#include "check.h"

#include <string.h>

#include "decoded.h"
#include "vectors.h"

TEST(hand_written_hello_is_read) /* catches: wrong offsets, short integers */
{
    CHECK_EQ(decode_pieces(vector_hello, sizeof vector_hello, 1000), 0);
    CHECK_EQ(seen.hellos, 1);
    CHECK_EQ(seen.kind, HELLO_FIRST);
    CHECK_EQ(seen.guest.wire_version, 0x0100);
    CHECK_EQ(seen.guest.boot_id[15], 0x5a);
    CHECK_EQ(seen.guest.cores, 2);
    CHECK_EQ(seen.guest.tsc_hz, 1000000000);
    CHECK_EQ(seen.guest.text_start, 0x400000);
    CHECK_EQ(seen.guest.text_size, 0x10000);
    CHECK_EQ(seen.guest.build_id_len, 0);
    CHECK(!seen.guest.has_text_crc);
    CHECK_EQ(seen.guest.nonce, 0);
    CHECK_EQ(health.malformed, 0);
}

/* catches: machines of one snapshot that cannot be told apart */
TEST(nonce_is_read)
{
    struct wiregen w = {0};

    wiregen_hello(
        &w, &(struct wiregen_hello){.cores = 1, .nonce = 0x8877665544332211});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.guest.nonce, 0x8877665544332211);
    wiregen_fini(&w);
}

/* catches: a slide of 0 that passes for none, and a negative one that is cut */
TEST(slide_is_read)
{
    const uint64_t slides[] = {0, 0x8877665544332000};

    for (unsigned i = 0; i < 2; i++) {
        struct wiregen w = {0};

        wiregen_hello(&w,
                      &(struct wiregen_hello){.cores = 1, .slide = &slides[i]});
        CHECK_EQ(decode_all(&w), 0);
        CHECK(seen.guest.has_slide);
        CHECK_EQ(seen.guest.slide, slides[i]);
        wiregen_fini(&w);
    }
}

TEST(hand_written_frame_is_read) /* catches: any misread field of a record */
{
    struct wiregen w = {0};

    wiregen_bytes(&w, vector_hello, sizeof vector_hello);
    wiregen_bytes(&w, vector_frame, sizeof vector_frame);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.frames, 2);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(health.lost_frames, 0);

    CHECK_EQ(seen.stacks_n, 2);
    CHECK_EQ(seen.stacks[0].core, 1);
    CHECK_EQ(seen.stacks[0].stack.depth, 2);
    CHECK_EQ(seen.stacks[0].stack.end, WIRE_END_ZERO);
    CHECK_EQ(seen.stacks[0].stack.slot_mask, 1);
    CHECK_EQ(seen.stacks[0].stack.words[0], TEXT + 0x1300);
    CHECK_EQ(seen.stacks[0].frames[0], TEXT + 0x1250);
    CHECK_EQ(seen.stacks[0].frames[1], TEXT + 0x1100);
    CHECK_EQ(seen.stacks[1].stack.depth, 2);
    CHECK_EQ(seen.stacks[1].stack.end, WIRE_END_DEPTH);
    CHECK_EQ(seen.stacks[1].stack.slot_mask, 0);
    CHECK_EQ(seen.stacks[1].frames[0], TEXT + 0x2000);
    CHECK_EQ(seen.stacks[1].frames[1], TEXT + 0x1100);

    CHECK_EQ(seen.samples_n, 2);
    CHECK_EQ(seen.samples[0].core, 1);
    CHECK_EQ(seen.samples[0].shift, 7);
    CHECK_EQ(seen.samples[0].period, 7812);
    CHECK_EQ(seen.samples[0].sample.tsc, (7812 + 1000) << 7);
    CHECK_EQ(seen.samples[0].sample.stack, 1);
    CHECK_EQ(seen.samples[0].sample.leaf, TEXT + 0x1234);
    CHECK_EQ(seen.samples[0].sample.late, 6); /* of 4 to 7 */
    CHECK_EQ(seen.samples[0].sample.weight, 1);
    CHECK_EQ(seen.samples[0].sample.flags, 0);
    CHECK_EQ(seen.samples[1].sample.tsc, (7812 + 1000 + 20000) << 7);
    CHECK_EQ(seen.samples[1].sample.leaf, TEXT - 16);
    CHECK_EQ(seen.samples[1].sample.late, 2000);
    CHECK_EQ(seen.samples[1].sample.weight, 3);
    CHECK_EQ(seen.samples[1].sample.flags, WIRE_SAMPLE_JUMP);

    CHECK_EQ(seen.losses_n, 1);
    CHECK_EQ(seen.losses[0].reason, LOSS_RING_FULL);
    CHECK_EQ(seen.losses[0].ticks, 300);
    CHECK_EQ(seen.losses[0].missed, 5);

    const struct account *a = &seen.account[1];

    CHECK_EQ(a->samples, 2);
    CHECK_EQ(a->ring_full, 300);
    CHECK_EQ(a->missed, 7);
    CHECK_EQ(a->lost, 0);
    CHECK_EQ(a->jumps, 1);
    CHECK_EQ(a->violations, 0);
    CHECK_EQ(account_ticks(a), 302);
    CHECK_EQ(account_deadlines(a), 309);
    wiregen_fini(&w);
}

/* Catches: RSP taken from the rest of a record that is over, or of others */
TEST(stack_outside_readable_memory_tells_where)
{
    struct wiregen w = hello_stream();

    wiregen_samples_begin(&w, &(struct wiregen_samples){.period = 1000});
    wiregen_bytes(&w, vector_stack_outside, sizeof vector_stack_outside);
    wiregen_stack(&w, &(struct wiregen_stack){.id = 1, .end = 2});
    wiregen_stack(&w, &(struct wiregen_stack){.id = 2, .rsp = 7});
    wiregen_stack(&w,
                  &(struct wiregen_stack){
                      .id = 3, .end = 2, .mask = 1, .words = {0x10}, .rsp = 7});
    wiregen_samples_end(&w, (uint64_t[4]){0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(seen.stacks_n, 4);
    CHECK_EQ(seen.stacks[0].stack.end, WIRE_END_MEMORY);
    CHECK_EQ(seen.stacks[0].stack.sp, 0x3fdff80);
    for (size_t i = 1; i < 4; i++)
        CHECK_EQ(seen.stacks[i].stack.sp, 0);
    wiregen_fini(&w);
}

TEST(wiregen_writes_the_vectors) /* catches: a generator that is wrong itself */
{
    static const uint64_t frames[] = {0x1250, 0x1100};
    static const uint64_t other[] = {0x2000};
    struct wiregen w = {.seq = 1};

    wiregen_samples_begin(
        &w,
        &(struct wiregen_samples){
            .core = 1, .shift = 7, .period = 7812, .epoch = 3, .time = 7800});
    wiregen_begin(&w, 1000000, 7, 7812, 3);
    wiregen_stack(&w, &(struct wiregen_stack){.id = 5,
                                              .mask = 1,
                                              .words = {0x1300},
                                              .frames = frames,
                                              .count = 2});
    wiregen_stack(
        &w, &(struct wiregen_stack){
                .id = 6, .end = 1, .shared = 1, .frames = other, .count = 1});
    wiregen_short(&w, 5, 1000, 0x1234, 3);
    wiregen_long_sample(&w, &(struct wiregen_long){.dt = 20000,
                                                   .id = 5,
                                                   .leaf = -16,
                                                   .flags = 1,
                                                   .late = 2000,
                                                   .weight = 3});
    wiregen_lost(&w, 2, 300, 5);
    wiregen_samples_end(&w, (uint64_t[4]){2, 7, 300, 0});
    CHECK_EQ(w.size, sizeof vector_frame);
    CHECK_MEM(w.bytes, vector_frame, sizeof vector_frame);
    CHECK_MEM(w.bytes + 26, vector_begin, sizeof vector_begin);
    CHECK_MEM(w.bytes + 40, vector_stack, sizeof vector_stack);
    CHECK_MEM(w.bytes + 54, vector_stack_shared, sizeof vector_stack_shared);
    CHECK_MEM(w.bytes + 68, vector_short, sizeof vector_short);
    CHECK_MEM(w.bytes + 75, vector_long, sizeof vector_long);
    CHECK_MEM(w.bytes + 89, vector_lost, sizeof vector_lost);
    wiregen_fini(&w);
}

/* Catches: boot messages on COM1 as damage */
TEST(bytes_before_hello_are_skipped)
{
    struct wiregen w = {0};
    struct wiregen g = hello_stream();

    wiregen_bytes(&w, "T\x9dooting...\r\n", 13);
    good_frame(&w, 3, 0); /* of a session whose HELLO was not heard */
    size_t before = w.size;

    wiregen_bytes(&w, g.bytes, g.size);
    w.seq = 1;
    good_frame(&w, 2, 3);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.before_hello, before);
    CHECK_EQ(health.skipped, 0);
    CHECK_EQ(health.damaged, 0);
    CHECK_EQ(seen.samples_n, 2);
    CHECK_EQ(seen.account[0].samples, 2); /* counted from here on */
    CHECK_EQ(seen.account[0].lost, 0);
    CHECK_EQ(seen.account[0].violations, 0);
    wiregen_fini(&w);
    wiregen_fini(&g);
}

/* Catches: a guest out of noise */
TEST(nothing_but_rubbish_ends_without_events)
{
    struct wiregen w = {0};

    for (unsigned i = 0; i < 10000; i++)
        wiregen_uint(&w, i % 3 ? 0x54 : 0x9d, 1);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.hellos, 0);
    CHECK_EQ(health.before_hello, 10000);
    wiregen_fini(&w);
}

TEST(every_single_bit_flip_is_noticed) /* catches: a frame believed unchecked */
{
    struct wiregen w = hello_stream();
    size_t start = w.size;

    good_frame(&w, 2, 0);
    size_t end = w.size;

    good_frame(&w, 3, 2);
    for (size_t at = start; at < end; at++) {
        for (int bit = 0; bit < 8; bit++) {
            w.bytes[at] ^= (uint8_t)(1 << bit);
            CHECK_EQ(decode_pieces(w.bytes, w.size, w.size), 0);
            CHECK_EQ(seen.samples_n, 3);
            CHECK_EQ(health.skipped, end - start);
            w.bytes[at] ^= (uint8_t)(1 << bit);
        }
    }
    wiregen_fini(&w);
}

TEST(cut_stream_gives_whole_frames_only) /* catches: reads past the end */
{
    struct wiregen w = hello_stream();
    size_t hello = w.size;

    good_frame(&w, 5, 0);
    for (size_t size = 0; size < w.size; size++) {
        CHECK_EQ(decode_pieces(w.bytes, size, 64), 0);
        CHECK_EQ(seen.hellos, size >= hello);
        CHECK_EQ(seen.samples_n, 0);
        if (size > hello)
            CHECK_EQ(health.skipped, size - hello);
    }
    wiregen_fini(&w);
}

TEST(frame_behind_a_false_magic_is_found) /* catches: trusting a bad length */
{
    struct wiregen w = hello_stream();

    /* says that 4096 bytes follow; real frames are among them */
    wiregen_bytes(&w, "\x54\x9d\x02\x00\x01\x00\x00\x10", 8);
    good_frame(&w, 5, 0);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.samples_n, 5);
    CHECK_EQ(health.skipped, 8);
    wiregen_fini(&w);
}

/* Catches: one batch for both */
TEST(begin_in_the_middle_changes_unit_and_period)
{
    struct wiregen w = hello_stream();

    wiregen_samples_begin(
        &w, &(struct wiregen_samples){
                .shift = 4, .period = 8000, .epoch = 1, .time = 1000});
    wiregen_short(&w, 1, 100, 0x100, 0);
    wiregen_begin(&w, 32000, 3, 4000, 2);
    wiregen_short(&w, 1, 10, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){2, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.samples[0].shift, 4);
    CHECK_EQ(seen.samples[0].period, 8000);
    CHECK_EQ(seen.samples[0].sample.tsc, 1100 << 4);
    CHECK_EQ(seen.samples[1].shift, 3);
    CHECK_EQ(seen.samples[1].period, 4000);
    CHECK_EQ(seen.samples[1].sample.tsc, 32000 + (10 << 3));
    wiregen_fini(&w);
}

/* Catches: loss nobody counts */
TEST(final_stats_tell_what_was_lost_at_the_end)
{
    struct wiregen w = hello_stream();

    good_frame(&w, 5, 0);
    w.seq++;
    wiregen_stats(&w, &(struct wiregen_stats){.flags = WIRE_STATS_FINAL,
                                              .counters = {9, 1, 2, 3},
                                              .cost = 77});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.stats_n, 1);
    CHECK_EQ(seen.stats.ticks, 14);
    CHECK_EQ(seen.stats.cost_tsc, 77);
    CHECK(seen.account[0].complete);
    CHECK_EQ(seen.account[0].lost, 4);
    CHECK_EQ(seen.account[0].ring_full, 2);
    CHECK_EQ(seen.account[0].reentered, 3);
    CHECK_EQ(seen.account[0].missed, 1);
    CHECK_EQ(account_ticks(&seen.account[0]), 14);
    CHECK_EQ(seen.account[0].violations, 0);
    wiregen_fini(&w);
}

TEST(hand_written_stats_are_read) /* catches: steal time that is misread */
{
    struct wiregen w = {0};

    wiregen_bytes(&w, vector_hello, sizeof vector_hello);
    wiregen_bytes(&w, vector_stats, sizeof vector_stats);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(seen.stats_n, 1);
    CHECK_EQ(seen.stats.core, 1);
    CHECK_EQ(seen.stats.flags, WIRE_STATS_FINAL | WIRE_STATS_STARTED);
    CHECK_EQ(seen.stats.ticks, 7);
    CHECK_EQ(seen.stats.samples, 7);
    CHECK(seen.stats.has_steal);
    CHECK_EQ(seen.stats.steal_ns, 5000000000);
    wiregen_fini(&w);
}

/* catches: a guest that cannot know, shown as one that lost 584 years */
TEST(stats_may_say_that_steal_time_is_not_known)
{
    struct wiregen w = {0};

    wiregen_bytes(&w, vector_hello, sizeof vector_hello);
    w.seq = 1;
    wiregen_open(&w, WIRE_STATS);
    wiregen_field(&w, WIRE_STATS_CORE, 1, 2);
    wiregen_field(&w, WIRE_STATS_STEAL, UINT64_MAX, 8);
    wiregen_close(&w);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.stats_n, 1);
    CHECK(!seen.stats.has_steal);
    CHECK_EQ(seen.stats.steal_ns, 0);
    wiregen_fini(&w);
}

/* Catches: misreading the future */
TEST(other_major_version_is_refused_with_both)
{
    struct wiregen w = {0};

    wiregen_hello(&w, &(struct wiregen_hello){.version = 0x0303, .cores = 1});
    CHECK_EQ(decode_all(&w), -1);
    CHECK(strstr(error.text, "3.3") != NULL);
    CHECK(strstr(error.text, "2.6") != NULL);
    CHECK_EQ(seen.hellos, 0);
    w.size = 0;
    wiregen_hello(&w, &(struct wiregen_hello){.version = 0x0009, .cores = 1});
    CHECK_EQ(decode_all(&w), -1);
    CHECK(strstr(error.text, "0.9") != NULL);
    wiregen_fini(&w);
}

TEST(other_minor_version_is_read) /* catches: refusing what may be skipped */
{
    struct wiregen w = {0};

    wiregen_hello(&w, &(struct wiregen_hello){.version = 0x0209, .cores = 1});
    wiregen_open(&w, 99); /* of that later version */
    wiregen_bytes(&w, "abc", 3);
    wiregen_close(&w);
    wiregen_samples_begin(&w, &(struct wiregen_samples){0});
    wiregen_long_begin(&w, 77);
    wiregen_bytes(&w, "0123456789", 10);
    wiregen_long_end(&w);
    wiregen_short(&w, 1, 1, 1, 0);
    wiregen_samples_end(&w, (uint64_t[4]){1, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(health.unknown_frames, 1);
    CHECK_EQ(health.unknown_records, 1);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(seen.samples_n, 1);
    CHECK_EQ(seen.account[0].violations, 0);
    wiregen_fini(&w);
}

TEST(hello_that_is_refused_ends_decoding) /* catches: an error that gets lost */
{
    struct wiregen w = hello_stream();

    good_frame(&w, 1, 0);
    seen.refuse_hello = 1;
    CHECK_EQ(decode_pieces(w.bytes, w.size, w.size), -1);
    CHECK_STR(error.text, "refused");
    CHECK_EQ(seen.samples_n, 0);
    wiregen_fini(&w);
}

/* A reboot at (boot), or a new session, or a repetition, after 5 samples. */
static struct wiregen twice(uint8_t boot, uint16_t seq)
{
    struct wiregen w = hello_stream();

    good_frame(&w, 5, 0);
    size_t at = w.size;

    wiregen_hello(&w, &(struct wiregen_hello){
                          .boot = boot, .cores = 4, .text_start = TEXT});
    if (seq != 0) { /* give it the next number, and a CRC for that */
        w.bytes[at + 4] = (uint8_t)seq;
        w.size -= 4;
        wiregen_uint(&w, wiregen_crc(w.bytes + at, w.size - at), 4);
        w.seq = (uint16_t)(seq + 1);
    }
    return w;
}

TEST(reboot_begins_the_counters_anew) /* catches: counters of two boots mixed */
{
    struct wiregen w = twice(2, 0);

    good_frame(&w, 3, 0);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.kind, HELLO_REBOOT);
    CHECK_EQ(seen.account[0].samples, 8);
    CHECK_EQ(seen.account[0].lost, 0);
    CHECK_EQ(seen.account[0].violations, 0);
    CHECK_EQ(health.lost_frames, 0);
    wiregen_fini(&w);
}

/* Catches: losses of other hosts, or of nobody, booked to this one */
TEST(what_was_lost_between_sessions_is_of_neither)
{
    struct wiregen w = twice(1, 0);

    good_frame(&w, 3, 7); /* 2 were made that never came */
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.kind, HELLO_SESSION);
    CHECK_EQ(seen.account[0].samples, 8);
    CHECK_EQ(seen.account[0].lost, 0);
    CHECK_EQ(seen.account[0].cut, 1); /* no final STATS before */
    CHECK_EQ(seen.account[0].begin_unknown, 0);
    CHECK_EQ(seen.account[0].violations, 0);
    wiregen_fini(&w);
}

/* Catches: one-way channels losing stacks */
TEST(repeated_hello_changes_nothing)
{
    struct wiregen w = twice(1, 2);

    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_short(&w, 1, 100, 0x100, 0);
    wiregen_samples_end(&w, (uint64_t[4]){6, 0, 0, 0});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.kind, HELLO_REPEAT);
    CHECK_EQ(seen.gaps, 0);
    CHECK_EQ(seen.samples[5].sample.stack, 1);
    CHECK_EQ(seen.account[0].unknown_stack, 0);
    wiregen_fini(&w);
}

TEST(sequence_numbers_wrap) /* catches: a gap of 65535 frames out of nothing */
{
    struct wiregen w = hello_stream();

    for (uint32_t i = 0; i < 65540; i++) {
        wiregen_open(&w, WIRE_PONG);
        wiregen_close(&w);
    }
    CHECK_EQ(decode_pieces(w.bytes, w.size, w.size), 0);
    CHECK_EQ(seen.pongs, 65540);
    CHECK_EQ(health.lost_frames, 0);
    wiregen_fini(&w);
}

TEST(status_and_pong_are_read) /* catches: control fields mixed up */
{
    struct wiregen w = hello_stream();

    wiregen_open(&w, WIRE_STATUS);
    wiregen_field(&w, 1, 4000, 4);
    wiregen_field(&w, 2, 32, 2);
    wiregen_field(&w, 4, 250000, 8);
    wiregen_field(&w, 5, 1, 1);
    wiregen_field(&w, 6, 3, 4);
    wiregen_field(&w, 7, 2, 1);
    wiregen_field(&w, 8, 77, 8);
    wiregen_field(&w, 9, 12, 4);
    wiregen_field(&w, 10, 13, 4);
    wiregen_field(&w, 11, 14, 4);
    wiregen_close(&w);
    wiregen_open(&w, WIRE_PONG);
    wiregen_field(&w, 1, 0x1122334455667788, 8);
    wiregen_field(&w, 2, 12345, 8);
    wiregen_close(&w);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.status.rate_hz, 4000);
    CHECK_EQ(seen.status.depth, 32);
    CHECK_EQ(seen.status.period_tsc, 250000);
    CHECK_EQ(seen.status.state, WIRE_STATE_SAMPLING);
    CHECK_EQ(seen.status.every, 3);
    CHECK_EQ(seen.status.refusal, WIRE_REFUSED_NO_CORE);
    CHECK_EQ(seen.status.turned_away, 77);
    CHECK_EQ(seen.status.refused, 12);
    CHECK_EQ(seen.status.refused_core, 13);
    CHECK_EQ(seen.status.refused_error, 14);
    CHECK_EQ(seen.pong.cookie, 0x1122334455667788);
    CHECK_EQ(seen.pong.tsc, 12345);
    wiregen_fini(&w);
}

/* Catches: bytes dropped between two reads */
TEST(large_frames_survive_any_cut)
{
    struct wiregen w = hello_stream();
    uint64_t before = 0;

    for (uint64_t n = 500; n < 560; n += 5) { /* up to the longest body */
        good_frame(&w, n, before);
        before += n;
    }
    for (size_t piece = 1000; piece < 13000; piece += 567) {
        CHECK_EQ(decode_pieces(w.bytes, w.size, piece), 0);
        CHECK_EQ(health.skipped, 0);
        CHECK_EQ(seen.account[0].samples, before);
        CHECK_EQ(seen.account[0].lost, 0);
    }
    wiregen_fini(&w);
}
