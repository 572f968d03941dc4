/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a sample to the bytes of a frame, against bytes written by hand from
 * WIRE.md. The numbers behind them stand beside each line.
 */
#include <string.h>

#include "check.h"
#include "encode_all.h"
#include "sample/sample.h"
#include "vectors.h"

#define TEXT   0x400000u
#define PERIOD 16000u /* TSC ticks: shift 1, 8000 units */

static uint64_t stack[64];
static uint64_t words[64];
static uint64_t slots[64];
static struct tprof_bounds bounds;
static struct tprof_recorder recorder;
static struct tprof_reader reader;
static uint32_t session;
static uint8_t buffer[2048];

/* Two frames: callers at text + 0x10 and text + 0x130. */
static void set_up(void)
{
    memset(stack, 0, sizeof stack);
    stack[8] = (uintptr_t)&stack[16];
    stack[9] = TEXT + 0x10;
    stack[16] = 0;
    stack[17] = TEXT + 0x130;
    bounds = (struct tprof_bounds){
        .image.text = {TEXT, 0x10000000, TPROF_REACH_MAX, .seed = 1},
        .readable = {{(uintptr_t)stack, sizeof stack}},
        .extent = sizeof stack,
    };
    memset(&recorder, 0, sizeof recorder);
    memset(&reader, 0, sizeof reader);
    memset(slots, 0, sizeof slots);
    recorder.span.bounds = &bounds;
    recorder.watermark = 32;
    tprof_ring_init(&recorder.ring, words, 64);
    tprof_stacks_init(&recorder.stacks, slots, 64);
    reader.ring = &recorder.ring;
    session = reader.session = 1;
    reader.beginning.session = session;
    for (int epoch = 0; epoch < 2; epoch++)
        tprof_stacks_forget(&recorder.stacks);
    tprof_sample_begin(&recorder, 0x10000, PERIOD, 64);
}

static struct tprof_sample sample_at(uint64_t time)
{
    return (struct tprof_sample){
        .at = {TEXT + 0x123, (uintptr_t)stack, (uintptr_t)&stack[8]},
        .time = time,
        .late = 6,
        .weight = 1,
    };
}

static void take(uint64_t time)
{
    struct tprof_sample s = sample_at(time);

    if (tprof_sample_quick(&recorder, &s.at.pc, s.at.sp, s.at.fp, s.time,
                           s.late))
        return;
    tprof_unwind_locate(&recorder.span, s.at.pc, s.at.sp);
    tprof_sample_take(&recorder, &s);
    tprof_sample_look_ahead(&recorder);
}

/* The frame of what the ring holds; its bytes, 0: nothing. */
static uint32_t frame(void)
{
    static struct tprof_crc32c crc;

    tprof_crc32c_init(&crc, 0);
    return encode_all(buffer, sizeof buffer, 0x0201, &crc, &reader, 3, session,
                      NULL);
}

static int32_t known_id(void)
{
    struct tprof_chain c;

    return tprof_stacks_search(
        &recorder.stacks, tprof_unwind_frames(&recorder.span, (uintptr_t)stack,
                                              (uintptr_t)&stack[8], 64, &c));
}

/* Catches: a report that cannot say where stacks are, to who left them out */
TEST(encode_tells_rsp_where_no_memory_is_readable)
{
    struct tprof_sample s = sample_at(0x10000);
    uint8_t expected[sizeof vector_stack_outside];

    set_up();
    s.at.sp = 0x3fdff80;
    tprof_unwind_locate(&recorder.span, s.at.pc, s.at.sp);
    tprof_sample_take(&recorder, &s);
    CHECK(frame() > 0);
    const uint8_t *cells = buffer + 8 + 18;

    memcpy(expected, vector_stack_outside, sizeof expected);
    expected[2] = cells[14 + 2]; /* the id is the dictionary's */
    CHECK(cells[14 + 2] < 64);
    CHECK_MEM(cells + 14, expected, sizeof expected);
}

TEST(encode_tells_the_generation_of_images) /* catches: images of one age */
{
    set_up();
    recorder.images = 5;
    take(0x10000);
    CHECK(frame() > 0);
    CHECK_EQ(buffer[8 + 18], 3 << 1 | 1);
    CHECK_EQ(buffer[8 + 18 + 9], 5); /* behind two bytes and four numbers */
}

TEST(encode_writes_the_frame_that_wire_md_describes)
{
    set_up();
    take(0x10000 + 2 * 100); /* 100 units after BEGIN */
    take(0x10000 + 2 * 5000);
    uint32_t size = frame();
    uint8_t id = (uint8_t)known_id();
    const uint8_t head[] = {
        0x54, 0x9d, 2, 0, 0x01, 0x02, 65, 0, /* frame header */
        3,    0,    0, 0,                    /* core 3 */
        0,    0,    0, 0,                    /* shift, period, epoch: unset */
        0,    0,    0, 0, 0,    0,    0,  0, /* base time */
        6,    0, /* cells: BEGIN 2, STACK 2, two samples */
    };
    const uint8_t begin[] = {
        3 << 1 | 1, 2,          /* BEGIN, two cells */
        0x81,       0x80, 0x04, /* TSC 0x10001: the lowest bit says "not 0" */
        1,                      /* shift */
        0xc0,       0x3e,       /* 8000 units */
        2,                      /* epoch: the second since the start */
    };
    const uint8_t define[] = {
        2 << 1 | 1, 2,    /* STACK, two cells */
        id,               /* below 64 */
        0,          0,    /* end: zero; no words in text */
        0,          2,    /* shares none, two frames */
        0x20,             /* + 0x10 from the start of text */
        0xc0,       0x04, /* + 0x120 */
    };
    /* units at bit 14, leaf 0x123 at bit 28, two bits of lateness at 52 */
    uint64_t known =
        (uint64_t)id << 1 | (uint64_t)0x123 << 28 | (uint64_t)2 << 52;
    uint64_t first = known | (uint64_t)100 << 14;
    uint64_t second = known | (uint64_t)4900 << 14;
    const uint8_t counters[] = {4, 2, 0, 0, 0}; /* two samples */
    const uint8_t *cells = buffer + 8 + 18;

    CHECK_EQ(size, 8 + 18 + 6 * 7 + 5 + 4);
    CHECK_MEM(buffer, head, sizeof head);
    CHECK_MEM(cells, begin, sizeof begin);
    CHECK_MEM(cells + 14, define, sizeof define);
    CHECK_MEM(cells + 28, &first, 7);
    CHECK_MEM(cells + 35, &second, 7);
    CHECK_MEM(cells + 42, counters, sizeof counters);
}

TEST(encode_states_where_the_next_frame_begins)
{
    set_up();
    take(0x10000 + 2 * 100);
    CHECK(frame() > 0);
    take(0x10000 + 2 * 5000);
    CHECK(frame() > 0);
    const uint8_t header[] = {
        3,    0,    0, 1,             /* core, flags, shift */
        0x40, 0x1f, 2, 0,             /* 8000 units, epoch 2 */
        0x64, 0x80, 0, 0, 0, 0, 0, 0, /* 0x8000 + 100 units */
        1,    0,                      /* one cell */
    };

    CHECK_MEM(buffer + 8, header, sizeof header);
    CHECK_EQ(buffer[8 + 18 + 7 + 1], 2); /* samples, cumulative */
}

TEST(encode_says_nothing_when_there_is_nothing)
{
    set_up();
    CHECK_EQ(frame(), 0);
}

/* However the stack of a sample ends and wherever its leaf is, once that stack
 * is known. Catches: two cells a sample on kernels that are not as ours. */
TEST(encode_writes_samples_of_known_stacks_as_cells)
{
    static const uint64_t far = 0x7000000000000000u;
    uint64_t here = (uintptr_t)stack, frame_here = (uintptr_t)&stack[8];
    const struct tprof_registers at[] = {
        {TEXT + 0x123, here, frame_here},
        {TEXT + 0x123, here, 0},
        {TEXT + 0x123, here - 8, frame_here}, /* RSP in no range */
        {TEXT + 0x123, 8, 0},                 /* the same stack */
        {far + 0x123, here, frame_here},      /* RIP in no text */
        {far + 0xffffff, here, frame_here},   /* the same stack */
    };

    set_up();
    stack[17] = 7; /* nobody called the outermost function */
    for (uint32_t i = 0; i < 30; i++) {
        struct tprof_sample s = sample_at(0x10000 + 200 * (i + 1));
        unsigned kind = i % 6;
        int known = i >= 6 || kind == 3 || kind == 5;

        s.at = at[kind];
        tprof_unwind_locate(&recorder.span, s.at.pc, s.at.sp);
        CHECK_EQ(tprof_sample_quick(&recorder, &s.at.pc, s.at.sp, s.at.fp,
                                    s.time, s.late),
                 known);
        if (!known)
            tprof_sample_take(&recorder, &s);
        tprof_sample_look_ahead(&recorder);
        CHECK(frame() > 0);
        const uint8_t *last = buffer + 8 + 18 - 7;

        for (uint32_t n = buffer[8 + WIRE_SAMPLES_CELLS]; n > 0; n--)
            last += 7;
        CHECK_EQ(last[0] & 1, 0);
        if (kind == 4)
            CHECK_EQ(buffer[8 + WIRE_SAMPLES_FLAGS], i > 4);
    }
}

TEST(encode_writes_what_does_not_fit_a_cell_as_long_sample)
{
    struct tprof_sample s;

    set_up();
    take(0x10000 + 200);
    CHECK(frame() > 0);
    s = sample_at(0x10000 + 2 * 70100);
    s.late = 2 * 60000;
    s.weight = 9;
    s.flags = WIRE_SAMPLE_JUMP;
    tprof_sample_take(&recorder, &s);
    CHECK(frame() > 0);
    const uint8_t expected[] = {
        1 << 1 | 1,
        2, /* long sample, two cells */
        0xf0,
        0xa2,
        0x04, /* 70000 units on */
        (uint8_t)known_id(),
        0xc6,
        0x04, /* leaf + 0x123, zigzag */
        1,    /* jump */
        0xe0,
        0xd4,
        0x03, /* 60000 units late */
        9,    /* deadlines */
    };

    CHECK_MEM(buffer + 8 + 18, expected, sizeof expected);
    CHECK_EQ(buffer[8 + 18 + 14 + 2], 8); /* missed */
}

/* Whatever came before the next deadline, the most being one and a half periods
 * of 8191 units. Catches: busy hosts, where most are late, pay the long way. */
TEST(encode_writes_late_samples_of_one_deadline_as_short_ones)
{
    static const struct {
        uint64_t late;
        uint8_t bits;
    } expect[] = {{0, 0}, {1, 1}, {1023, 10}, {1024, 11}, {12286, 14}};

    set_up();
    take(0x10000 + 200);
    CHECK(frame() > 0);
    for (unsigned i = 0; i < sizeof expect / sizeof *expect; i++) {
        struct tprof_sample s = sample_at(0x10000 + 2 * 5000 * (i + 1));

        CHECK(tprof_sample_quick(&recorder, &s.at.pc, s.at.sp, s.at.fp, s.time,
                                 2 * expect[i].late));
        CHECK(frame() > 0);
        CHECK_EQ(buffer[8 + 16], 1);     /* a cell, */
        CHECK_EQ(buffer[8 + 18] & 1, 0); /* short */
        CHECK_EQ(buffer[8 + 18 + 6] >> 4, expect[i].bits);
    }
    struct tprof_sample s = sample_at(0x10000 + 2 * 40000);

    CHECK(!tprof_sample_quick(&recorder, &s.at.pc, s.at.sp, s.at.fp, s.time,
                              2 * 16384));
}

TEST(encode_tells_of_drops_before_the_next_sample)
{
    set_up();
    for (uint32_t i = 1; i <= 100; i++)
        take(0x10000 + 2000 * i);
    /* of 64 words BEGIN and STACK take four, and each sample one: also the
     * first, the one at the watermark, and the one 16 further */
    CHECK_EQ(recorder.counts.ring_full, 100 - 60);
    CHECK(frame() > 0);
    take(0x10000 + 2000 * 101);
    CHECK(frame() > 0);
    const uint8_t lost[] = {4 << 1 | 1, 1, WIRE_COUNTER_RING_FULL, 40, 0};
    const uint8_t counters[] = {4, 61, 0, 40, 0};

    CHECK_MEM(buffer + 8 + 18, lost, sizeof lost);
    /* LOST, and a sample that is long: 41,000 units after the last */
    CHECK_MEM(buffer + 8 + 18 + 21, counters, sizeof counters);
}

TEST(encode_shares_the_outer_frames_with_the_stack_before)
{
    set_up();
    take(0x10000 + 200);
    CHECK(frame() > 0);
    stack[9] = TEXT + 0x44; /* another inner caller */
    take(0x10000 + 400);
    CHECK(frame() > 0);
    const uint8_t expected[] = {0, 0, 1, 1, 0x88, 0x01}; /* 1 shared, 1 own */

    CHECK_MEM(buffer + 8 + 18 + 3, expected, sizeof expected);
}

TEST(encode_sends_the_words_that_lie_in_text)
{
    set_up();
    stack[0] = TEXT + 8;
    stack[2] = TEXT + 5;
    take(0x10000 + 200);
    CHECK(frame() > 0);
    const uint8_t expected[] = {
        0,    5,          /* end, slots 0 and 2 */
        0x10, 0x05,       /* + 8, - 3 */
        0,    2,    0x16, /* nothing shared, two frames; 0x10 - 5 */
    };

    CHECK_MEM(buffer + 8 + 18 + 14 + 3, expected, sizeof expected);
}

/* Ten samples of session 1 were not read when the core began session 2, with a
 * count of 12, of which two had no room. */
TEST(encode_begins_a_session_where_its_core_began)
{
    set_up();
    for (uint32_t i = 1; i <= 10; i++)
        take(0x10000 + 2000 * i);
    session = 2;
    reader.beginning = (struct tprof_beginning){
        .at = {.counter = {10, 5, 2, 1},
               .tail = tprof_ring_tail(&recorder.ring)},
        .session = 2};
    take(0x10000 + 2000 * 11);
    CHECK(frame() > 0);
    CHECK_EQ(buffer[8 + WIRE_SAMPLES_CELLS], 1);
    const uint8_t counters[] = {4, 11, 5, 2, 1};

    CHECK_MEM(buffer + 8 + 18 + 7, counters, sizeof counters);
}

/* A session begins where stacks were described anew, when two ticks inside
 * others, of 5 deadlines each, were still to be told. Catches: losses that
 * count both before the place and by the record after it */
TEST(encode_tells_after_a_place_what_was_not_told_before_it)
{
    set_up();
    take(0x10000 + 2000);
    recorder.counts.ticks = 3;
    recorder.counts.missed = 8;
    for (int i = 0; i < 2; i++)
        tprof_sample_drop(&recorder, WIRE_COUNTER_REENTERED, 5);
    for (int part = 0; part < 2; part++)
        tprof_stacks_forget(&recorder.stacks);
    tprof_sample_begin(&recorder, 0x18000, PERIOD, 64);
    session = 2;
    reader.beginning =
        (struct tprof_beginning){.at = recorder.anew, .session = 2};
    take(0x18000 + 2000);
    CHECK(frame() > 0);
    const uint8_t *end = buffer + 8 + 18 + 7 * buffer[8 + WIRE_SAMPLES_CELLS];
    const uint8_t counters[] = {4, 2, 8, 0, 2};

    CHECK_MEM(end, counters, sizeof counters);
}

/* Catches: a new host that gets records from before it came */
TEST(encode_voids_what_is_left_of_an_earlier_session)
{
    set_up();
    for (uint32_t i = 1; i <= 10; i++)
        take(0x10000 + 2000 * i);
    session = 2;
    CHECK_EQ(frame(), 0);
    CHECK_EQ(tprof_ring_used(&recorder.ring), 0);
    take(0x10000 + 2000 * 11); /* and its core has not heard of the end yet */
    CHECK_EQ(frame(), 0);
    CHECK_EQ(tprof_ring_used(&recorder.ring), 0);
}

TEST(encode_never_splits_a_record_or_overruns_its_buffer)
{
    static uint64_t many[8192];
    uint64_t samples = 0;

    set_up();
    tprof_ring_init(&recorder.ring, many, 8192);
    for (uint32_t i = 1; i <= 3000; i++) {
        stack[9] = TEXT + i * 4096; /* a new stack each time */
        take(0x10000 + 2000 * i);
    }
    for (uint32_t size; (size = frame()) > 0;) {
        CHECK(size <= sizeof buffer);
        uint32_t cells = buffer[8 + WIRE_SAMPLES_CELLS] |
                         (uint32_t)buffer[9 + WIRE_SAMPLES_CELLS] << 8;
        const uint8_t *at = buffer + 8 + 18, *end = at + 7 * cells;

        while (at < end) {
            samples += !(at[0] & 1) || at[0] >> 1 == WIRE_LONG_SAMPLE;
            at += at[0] & 1 ? 7 * at[1] : 7;
        }
        CHECK(at == end);
    }
    CHECK_EQ(samples + recorder.counts.ring_full, 3000);
}

/* Catches: parts that lose or repeat a cell, or a CRC that starts anew */
TEST(encode_in_parts_writes_the_same_bytes)
{
    static struct tprof_crc32c crc;
    static uint8_t whole[sizeof buffer];

    tprof_crc32c_init(&crc, 0);
    for (uint32_t most = 1; most < 40; most++) {
        struct tprof_samples s;
        uint32_t size = 0, parts = 0;

        for (int in_parts = 0; in_parts < 2; in_parts++) {
            set_up();
            for (uint32_t i = 1; i <= 20; i++) {
                stack[9] = TEXT + 0x10 * (i % 4); /* short and long records */
                take(0x10000 + 2000 * i);
            }
            if (!in_parts)
                size = encode_all(whole, sizeof whole, 7, &crc, &reader, 3,
                                  session, NULL);
        }
        tprof_frame_begin(&s.frame, buffer, sizeof buffer, WIRE_SAMPLES, 7);
        CHECK(tprof_samples_begin(&s, &reader, 3, session) > 0);
        for (; s.left > 0; parts++)
            CHECK(tprof_samples_more(&s, most) > 0);
        CHECK(parts > 20 / most);
        while (tprof_frame_sum(&s.frame, &crc, 8) == 0)
            ;
        CHECK_EQ(s.frame.used, size);
        CHECK_MEM(buffer, whole, size);
    }
}
