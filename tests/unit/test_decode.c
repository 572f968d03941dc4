/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder against bytes by hand: vectors.h, and frames of wiregen. Each
 * stream is fed whole and in pieces, and must say the same.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "seen.h"
#include "vectors.h"
#include "wiregen.h"

#define TEXT 0x400000u

static struct seen seen;
static struct stream_health health;
static struct err error;

/* Decode (size) bytes in pieces of (piece). Returns as decode_feed(). */
static int decode_pieces(const uint8_t *bytes, size_t size, size_t piece)
{
    bool refuse = seen.refuse_hello;
    struct decode *d = decode_new(&seen_events, &seen);
    int result = 0;

    memset(&seen, 0, sizeof seen);
    seen.refuse_hello = refuse;
    for (size_t at = 0; result == 0 && at < size; at += piece) {
        size_t some = size - at < piece ? size - at : piece;
        /* in memory of just that size: the sanitizer sees reads beyond */
        uint8_t *copy = malloc(some);

        memcpy(copy, bytes + at, some);
        result = decode_feed(d, copy, some, &error);
        free(copy);
    }
    if (result == 0)
        result = decode_end(d, &error);
    health = *decode_health(d);
    decode_free(d);
    return result;
}

static int decode_all(const struct wiregen *w)
{
    static struct seen first;
    struct stream_health first_health;
    int result = decode_pieces(w->bytes, w->size, w->size);

    first = seen;
    first_health = health;
    static const size_t pieces[] = {1, 7, 4095, 5000};

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        CHECK_EQ(decode_pieces(w->bytes, w->size, pieces[i]), result);
        CHECK_EQ(seen.samples_n, first.samples_n);
        CHECK_EQ(seen.losses_n, first.losses_n);
        CHECK_MEM(seen.account, first.account, sizeof first.account);
        if (result == 0)
            CHECK_MEM(&health, &first_health, sizeof health);
    }
    return result;
}

static struct wiregen gen(void)
{
    struct wiregen w = {0};

    wiregen_hello(&w, &(struct wiregen_hello){.boot = 1,
                                              .cores = 4,
                                              .tsc_hz = 1000000000,
                                              .text_start = TEXT,
                                              .text_size = 0x10000});
    return w;
}

/* A SAMPLES frame of core 0 with BEGIN, stack 1 and (n) samples of it. */
static void good_frame(struct wiregen *w, uint64_t n, uint64_t before)
{
    static const uint64_t frames[] = {0x10, 0x20, 0x30};

    wiregen_samples_begin(
        w, &(struct wiregen_samples){
               .shift = 4, .period = 8000, .epoch = 1, .time = 1000});
    if (before == 0)
        wiregen_begin(w, 16000, 4, 8000, 1);
    wiregen_stack(
        w, &(struct wiregen_stack){.id = 1, .frames = frames, .count = 3});
    for (uint64_t i = 0; i < n; i++)
        wiregen_short(w, 1, 8000, 0x100, 0);
    wiregen_samples_end(w, (uint64_t[4]){before + n, 0, 0, 0});
}

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
    CHECK_EQ(health.malformed, 0);
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

TEST(bytes_before_hello_are_skipped) /* catches: boot messages on COM1 as damage
                                      */
{
    struct wiregen w = {0};
    struct wiregen g = gen();

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

TEST(
    nothing_but_rubbish_ends_without_events) /* catches: a guest out of noise */
{
    struct wiregen w = {0};

    for (unsigned i = 0; i < 10000; i++)
        wiregen_uint(&w, i % 3 ? 0x54 : 0x9d, 1);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.hellos, 0);
    CHECK_EQ(health.before_hello, 10000);
    wiregen_fini(&w);
}

TEST(flipped_byte_costs_one_frame_exactly) /* catches: inexact loss */
{
    struct wiregen w = gen();

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

TEST(every_single_bit_flip_is_noticed) /* catches: a frame believed unchecked */
{
    struct wiregen w = gen();
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
    struct wiregen w = gen();
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
    struct wiregen w = gen();

    /* says that 4096 bytes follow; real frames are among them */
    wiregen_bytes(&w, "\x54\x9d\x02\x00\x01\x00\x00\x10", 8);
    good_frame(&w, 5, 0);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.samples_n, 5);
    CHECK_EQ(health.skipped, 8);
    wiregen_fini(&w);
}

TEST(stacks_are_unknown_after_a_gap) /* catches: the wrong stack believed */
{
    static const uint64_t frames[] = {0x99};
    struct wiregen w = gen();

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
    struct wiregen w = gen();

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

TEST(begin_in_the_middle_changes_unit_and_period) /* catches: one batch for both
                                                   */
{
    struct wiregen w = gen();

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

TEST(counters_that_contradict_records_are_violations) /* catches: silent lies */
{
    struct wiregen w = gen();

    good_frame(&w, 5, 0);
    good_frame(&w, 5, 6); /* one more than was sent, and no gap */
    good_frame(&w, 5, 3); /* going backwards */
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].violations, 2);
    CHECK_EQ(seen.account[0].samples, 15);
    CHECK_EQ(seen.account[0].lost, 1);
    wiregen_fini(&w);
}

TEST(missed_must_match_the_weights) /* catches: weights that nobody counted */
{
    struct wiregen w = gen();

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

TEST(
    final_stats_tell_what_was_lost_at_the_end) /* catches: loss nobody counts */
{
    struct wiregen w = gen();

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

TEST(live_stats_do_not_touch_the_account) /* catches: counting what is on its
                                             way */
{
    struct wiregen w = gen();

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
    struct wiregen w = gen();

    good_frame(&w, 5, 0);
    wiregen_stats(&w, &(struct wiregen_stats){.flags = WIRE_STATS_FINAL,
                                              .counters = {5, 0, 0, 0},
                                              .extra_ticks = 1});
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.account[0].violations, 1);
    wiregen_fini(&w);
}

TEST(other_major_version_is_refused_with_both) /* catches: misreading the future
                                                */
{
    struct wiregen w = {0};

    wiregen_hello(&w, &(struct wiregen_hello){.version = 0x0203, .cores = 1});
    CHECK_EQ(decode_all(&w), -1);
    CHECK(strstr(error.text, "2.3") != NULL);
    CHECK(strstr(error.text, "1.0") != NULL);
    CHECK_EQ(seen.hellos, 0);
    wiregen_fini(&w);
}

TEST(other_minor_version_is_read) /* catches: refusing what may be skipped */
{
    struct wiregen w = {0};

    wiregen_hello(&w, &(struct wiregen_hello){.version = 0x0109, .cores = 1});
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
    struct wiregen w = gen();

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
    struct wiregen w = gen();

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

TEST(new_session_of_a_boot_keeps_its_counters) /* catches: loss between sessions
                                                */
{
    struct wiregen w = twice(1, 0);

    good_frame(&w, 3, 7); /* 2 were made that never came */
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(seen.kind, HELLO_SESSION);
    CHECK_EQ(seen.account[0].samples, 8);
    CHECK_EQ(seen.account[0].lost, 2);
    CHECK_EQ(seen.account[0].violations, 0);
    wiregen_fini(&w);
}

TEST(repeated_hello_changes_nothing) /* catches: one-way channels losing stacks
                                      */
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
    struct wiregen w = gen();

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
    struct wiregen w = gen();

    wiregen_open(&w, WIRE_STATUS);
    wiregen_field(&w, 1, 4000, 4);
    wiregen_field(&w, 2, 32, 2);
    wiregen_field(&w, 4, 250000, 8);
    wiregen_field(&w, 5, 1, 1);
    wiregen_field(&w, 6, 3, 4);
    wiregen_field(&w, 7, 2, 1);
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
    CHECK_EQ(seen.pong.cookie, 0x1122334455667788);
    CHECK_EQ(seen.pong.tsc, 12345);
    wiregen_fini(&w);
}

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
    struct wiregen w = gen();

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

TEST(
    bad_records_are_refused) /* catches: counts and lengths that are believed */
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

TEST(stack_of_more_frames_than_the_last_is_refused) /* catches: reads before
                                                       chain */
{
    struct wiregen w = gen();

    good_frame(&w, 1, 0); /* its stack has 3 frames */
    wiregen_samples_begin(
        &w, &(struct wiregen_samples){.shift = 4, .period = 8000, .epoch = 1});
    wiregen_stack(&w, &(struct wiregen_stack){.id = 2, .shared = 4});
    wiregen_samples_end(&w, (uint64_t[4]){1, 0, 0, 0});
    expect_malformed(&w, "takes more frames");
}

TEST(record_beyond_the_frame_is_refused) /* catches: a long record that runs on
                                          */
{
    for (uint8_t cells = 0; cells < 3; cells += 2) {
        struct wiregen w = gen();

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
    struct wiregen w = gen();

    wiregen_open(&w, type);
    wiregen_bytes(&w, body, size);
    wiregen_close(&w);
    expect_malformed(&w, why);
    CHECK_EQ(seen.samples_n, 0);
}

TEST(bad_bodies_are_refused) /* catches: lengths that are believed */
{
    uint8_t samples[18] = {0};

    expect_bad_body(WIRE_SAMPLES, "", 0, "core that HELLO does not know");
    expect_bad_body(WIRE_SAMPLES, samples, 17, "core that HELLO");
    expect_bad_body(WIRE_SAMPLES, samples, 18, "shorter than it says");
    samples[16] = 1; /* a cell that is not there */
    expect_bad_body(WIRE_SAMPLES, samples, 18, "shorter than it says");
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
    wiregen_field(&w, 1, 0x0100, 2);
    wiregen_field_bytes(&w, 2, version, sizeof version);
    wiregen_field(&w, 5, 1, 1);
    wiregen_close(&w);
    CHECK_EQ(decode_all(&w), 0);
    CHECK_EQ(strlen(seen.guest.agent_version), 31);
    wiregen_fini(&w);
}
