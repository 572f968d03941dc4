/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both sides of the wire at once: what the agent's recorder was told and its
 * encoder sent is what the collector's decoder says, for stacks, leaves, times
 * and weights at random, with a ring that fills up now and then; in one image,
 * and in several.
 */
#include "check.h"

#include <string.h>

#include "decoded.h"
#include "encode_all.h"
#include "sample/sample.h"
#include "tprof/tprof.h"

/* One below, one close behind, one far above the first image. */
#define LOW   0x10000u
#define CLOSE (TEXT + 0x90000u)
#define FAR   0xffffffff80000000u
#define SIZE  0x10000u /* of each */

#define PERIOD  16000u /* TSC ticks: shift 1, 8000 units */
#define STACKS  300u
#define FRAMES  20u
#define SAMPLES 3000u
#define BEGIN   0x10000u
#define UNITS   1u /* shift */

/* What is sent, and what must come out. */
struct truth {
    uint64_t tsc, leaf, late, weight, flags;
    uint32_t stack;
};
static struct truth truths[SAMPLES];
static size_t truth_count;
static uint64_t missed;        /* deadlines, of all ticks */
static uint64_t quick_further; /* samples in further images, the quick way */

/* Stack i: depth[i] frames, innermost first. */
static uint64_t chains[STACKS][FRAMES];
static uint32_t depth[STACKS];

static uint64_t memory[2 * FRAMES + 2]; /* the guest's stack */
static uint64_t ring_words[256], slots[1024];
static struct tprof_bounds bounds;
static struct tprof_image_text further[3];
static const uint64_t starts[] = {TEXT, LOW, CLOSE, FAR};
static uint64_t images; /* how many of these there are */
static struct tprof_recorder recorder;
static struct tprof_reader reader;
static struct tprof_crc32c crc;
static struct wiregen stream;
static uint64_t random_state = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 20) % below;
}

static uint64_t draw_address(void)
{
    return starts[draw(images)] + 1 + draw(SIZE - 1);
}

static void make_chains(void)
{
    for (uint32_t i = 0; i < STACKS; i++) {
        depth[i] = 1 + (uint32_t)draw(FRAMES);
        for (uint32_t k = 0; k < depth[i]; k++)
            chains[i][k] = draw_address();
        /* most share their outer frames with another one */
        for (uint32_t k = 1; i > 0 && k <= depth[i] / 2; k++)
            if (k <= depth[i - 1])
                chains[i][depth[i] - k] = chains[i - 1][depth[i - 1] - k];
    }
}

/* Lay out stack (i) as frames of saved frame pointer and return address. */
static void lay_out(uint32_t i)
{
    memset(memory, 0, sizeof memory);
    for (size_t k = 0; k < depth[i]; k++) {
        memory[2 * k] = k + 1 < depth[i] ? (uintptr_t)&memory[2 * k + 2] : 0;
        memory[2 * k + 1] = chains[i][k];
    }
}

/* What map.c tells the recorder of the further images. */
static void map(void)
{
    struct tprof_image_text *last = &bounds.image;

    CHECK(images <= sizeof starts / sizeof starts[0]);
    for (uint64_t i = 1; i < images; last = last->next, i++) {
        int64_t above = (int64_t)(starts[i] - TEXT);

        further[i - 1] = (struct tprof_image_text){
            {starts[i], SIZE, SIZE, .seed = i + 1,
             .base = (uint64_t)(above < 0 ? -2 * above - 1 : 2 * above)},
            NULL};
        last->next = &further[i - 1];
    }
    if (images > 1) {
        bounds.image.text.reach = CLOSE - TEXT;
        reader.flags = WIRE_SAMPLES_IMAGES;
    }
}

static void set_up(void)
{
    bounds = (struct tprof_bounds){
        .image.text = {TEXT, SIZE, TPROF_REACH_MAX, .seed = 1},
        .readable = {{(uintptr_t)memory, sizeof memory}},
        .extent = sizeof memory,
    };
    map();
    recorder.span.bounds = &bounds;
    recorder.watermark = 128;
    tprof_ring_init(&recorder.ring, ring_words, 256);
    tprof_stacks_init(&recorder.stacks, slots, 1024);
    reader.ring = &recorder.ring;
    tprof_crc32c_init(&crc, 0);
    tprof_sample_begin(&recorder, BEGIN, PERIOD, FRAMES);
}

/* One tick, as the agent's: the quick way, or the long one. */
static void take(const struct truth *t)
{
    struct tprof_sample s = {
        .at = {t->leaf, (uintptr_t)memory, (uintptr_t)memory},
        .time = t->tsc,
        .late = t->late,
        .weight = t->weight,
        .flags = t->flags};
    uint64_t full = recorder.counts.ring_full;

    lay_out(t->stack);
    missed += t->weight - 1;
    bool usual = t->weight == 1 && t->flags == 0, quick;

    do
        quick = usual && tprof_sample_quick(&recorder, &s.at.pc, s.at.sp,
                                            s.at.fp, s.time, s.late);
    while (!quick && tprof_unwind_locate(&recorder.span, s.at.pc, s.at.sp));
    quick_further += quick && recorder.span.text.base != 0;
    if (!quick) {
        tprof_sample_take(&recorder, &s);
        tprof_sample_look_ahead(&recorder);
    }
    if (recorder.counts.ring_full == full)
        truths[truth_count++] = *t;
}

/* Send what the ring holds, one frame at a time. */
static void drain(void)
{
    static uint16_t seq = 1;
    uint8_t buffer[2048];
    uint32_t size;

    while ((size = encode_all(buffer, sizeof buffer, seq, &crc, &reader, 2, 0,
                              NULL)) > 0) {
        wiregen_bytes(&stream, buffer, size);
        seq++;
    }
}

static struct truth next_truth(uint64_t *tsc)
{
    *tsc += 2 * (4000 + draw(8000));
    struct truth t = {.tsc = *tsc,
                      .leaf = draw_address(),
                      .late = draw(1000),
                      .weight = 1,
                      .stack = (uint32_t)draw(STACKS)};

    switch (draw(50)) { /* what does not fit a short sample */
    case 0:
        t.weight = 1 + draw(1000);
        break;
    case 1:
        *tsc += 1000000;
        t.tsc = *tsc;
        t.weight = 50;
        t.flags = WIRE_SAMPLE_JUMP;
        break;
    case 2:
        t.leaf = TEXT - 1 - draw(1000); /* in no image */
        break;
    case 3: /* nor that, but near the first */
        t.leaf = TEXT + SIZE + draw(0x1000);
        break;
    case 4:
        t.late = 5000 + draw(100000);
        break;
    default:
        break;
    }
    return t;
}

static uint32_t bits_of(uint64_t value)
{
    uint32_t bits = 0;

    for (; value != 0; value /= 2)
        bits++;
    return bits;
}

/* Where the image of (address) begins; the first one, if it is in none. */
static uint64_t image_of(uint64_t address)
{
    for (uint64_t i = 0; i < images; i++)
        if (address - starts[i] < SIZE)
            return starts[i];
    return TEXT;
}

static void check_stack(uint32_t number, const struct truth *t)
{
    uint32_t i = t->stack;
    uint64_t start = image_of(t->leaf);

    CHECK(number != STACK_UNKNOWN && number <= seen.stacks_n);
    const struct seen_stack *s = &seen.stacks[number - 1];

    CHECK_EQ(s->stack.depth, depth[i]);
    CHECK_MEM(s->frames, chains[i], depth[i] * sizeof chains[i][0]);
    /* a chain of all frames asked for ends there, nobody looks further */
    CHECK_EQ(s->stack.end, depth[i] == FRAMES ? WIRE_END_DEPTH : WIRE_END_ZERO);
    lay_out(i);
    for (uint32_t k = 0; k < WIRE_STACK_SLOTS; k++) {
        CHECK_EQ(s->stack.slot_mask >> k & 1, memory[k] - start < SIZE);
        if (s->stack.slot_mask >> k & 1)
            CHECK_EQ(s->stack.words[k], memory[k]);
    }
}

/* Samples in the first (count) images. */
static void tell_and_compare(uint64_t count)
{
    uint64_t tsc = BEGIN;

    images = count;
    make_chains();
    set_up();
    stream = hello_stream();
    while (truth_count < SAMPLES - 1) {
        struct truth t = next_truth(&tsc);

        take(&t);
        if (draw(60) == 0) /* at times too late */
            drain();
    }
    drain();
    CHECK_EQ(decode_all(&stream), 0);
    CHECK_EQ(health.malformed, 0);
    CHECK_EQ(health.skipped, 0);
    CHECK_EQ(health.lost_frames, 0);
    CHECK_EQ(seen.samples_n, truth_count);
    for (size_t i = 0; i < truth_count; i++) {
        const struct sample *s = &seen.samples[i].sample;
        const struct truth *t = &truths[i];

        CHECK_EQ(seen.samples[i].core, 2);
        CHECK_EQ(seen.samples[i].period, PERIOD >> UNITS);
        CHECK_EQ(s->tsc, t->tsc & ~1ull);
        CHECK_EQ(s->leaf, t->leaf);
        CHECK_EQ(s->weight, t->weight);
        CHECK_EQ(s->flags, t->flags);
        CHECK_EQ(bits_of(s->late), bits_of(t->late >> UNITS));
        check_stack(s->stack, t);
    }
    const struct account *a = &seen.account[2];

    CHECK(recorder.counts.ring_full > 0); /* else that was not tried */
    CHECK_EQ(quick_further > 100, count > 1);
    CHECK_EQ(a->samples, truth_count);
    CHECK_EQ(a->ring_full, recorder.counts.ring_full);
    CHECK_EQ(a->missed, missed);
    CHECK_EQ(a->unknown_stack, 0);
    CHECK_EQ(a->violations, 0);
    wiregen_fini(&stream);
}

/* Catches: two readings of WIRE.md */
TEST(decoder_says_what_the_recorder_was_told)
{
    tell_and_compare(1);
}

/* Catches: addresses that lie in another image */
TEST(decoder_says_what_was_told_of_several_images)
{
    tell_and_compare(4);
}
