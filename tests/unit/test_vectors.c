/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's encoder against the bytes that the collector's decoder is held
 * against, too: vectors.h. */
#include <string.h>

#include "check.h"
#include "encode_all.h"
#include "sample/longrec.h"
#include "sample/sample.h"
#include "vectors.h"

static uint64_t words[64];
static struct tprof_recorder recorder;
static struct tprof_reader reader;

static void set_up(void)
{
    memset(&recorder, 0, sizeof recorder);
    memset(&reader, 0, sizeof reader);
    tprof_ring_init(&recorder.ring, words, 64);
    reader.ring = &recorder.ring;
}

/* Compares what the ring holds with (expected), cell by cell. */
static void check_cells(const uint8_t *expected, size_t size)
{
    CHECK_EQ(tprof_ring_used(&recorder.ring), size / WIRE_CELL_SIZE);
    for (size_t i = 0; i < size / WIRE_CELL_SIZE; i++)
        CHECK_MEM(&words[i], expected + i * WIRE_CELL_SIZE, WIRE_CELL_SIZE);
}

/* Puts whole records into the ring as they lie on the wire. */
static void push(const uint8_t *cells, size_t size)
{
    uint32_t tail = tprof_ring_tail(&recorder.ring);
    uint64_t count = size / WIRE_CELL_SIZE;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t word = count << TPROF_RING_COUNT_SHIFT;

        memcpy(&word, cells + i * WIRE_CELL_SIZE, WIRE_CELL_SIZE);
        words[(tail + i) & 63] = word;
    }
    tprof_ring_publish(&recorder.ring, tail + (uint32_t)count);
}

TEST(vectors_short_sample)
{
    set_up();
    tprof_sample_put(&recorder, 0, 5, 1000, 0x1234, 7);
    check_cells(vector_short, sizeof vector_short);
}

TEST(vectors_long_sample)
{
    const uint64_t value[] = {20000, 5,    tprof_zigzag((uint64_t)-16),
                              1,     2000, 3};

    set_up();
    CHECK(tprof_long_write(&recorder.ring, WIRE_LONG_SAMPLE, value, 6));
    check_cells(vector_long, sizeof vector_long);
}

TEST(vectors_begin)
{
    const uint64_t value[] = {1000000, 7, 7812, 3};

    set_up();
    CHECK(tprof_long_write(&recorder.ring, WIRE_LONG_BEGIN, value, 4));
    check_cells(vector_begin, sizeof vector_begin);
}

TEST(vectors_begin_of_a_generation)
{
    const uint64_t value[] = {1000000, 7, 7812, 3, 300};

    set_up();
    CHECK(tprof_long_write(&recorder.ring, WIRE_LONG_BEGIN, value, 5));
    check_cells(vector_begin_images, sizeof vector_begin_images);
}

TEST(vectors_lost)
{
    const uint64_t value[] = {WIRE_COUNTER_RING_FULL, 300, 5};

    set_up();
    CHECK(tprof_long_write(&recorder.ring, WIRE_LONG_LOST, value, 3));
    check_cells(vector_lost, sizeof vector_lost);
}

TEST(vectors_frame)
{
    static struct tprof_crc32c crc;
    uint8_t buffer[1536];
    uint32_t cells = 0;

    set_up();
    push(vector_begin, sizeof vector_begin);
    push(vector_stack, sizeof vector_stack);
    push(vector_stack_shared, sizeof vector_stack_shared);
    push(vector_short, sizeof vector_short);
    push(vector_long, sizeof vector_long);
    push(vector_lost, sizeof vector_lost);
    reader.shift = 7;
    reader.period = 7812;
    reader.epoch = 3;
    reader.time = 7800;
    tprof_crc32c_init(&crc, 0);
    CHECK_EQ(encode_all(buffer, sizeof buffer, 1, &crc, &reader, 1, 0, &cells),
             sizeof vector_frame);
    CHECK_EQ(cells, 10);
    CHECK_MEM(buffer, vector_frame, sizeof vector_frame);
}

TEST(vectors_frame_of_another_image) /* catches: the flag left out */
{
    static struct tprof_crc32c crc;
    uint8_t buffer[1536];
    uint32_t cells = 0;

    set_up();
    push(vector_stack_at, sizeof vector_stack_at);
    push(vector_short_at, sizeof vector_short_at);
    reader.shift = 7;
    reader.period = 7812;
    reader.epoch = 3;
    reader.time = 8000;
    reader.flags = WIRE_SAMPLES_IMAGES;
    reader.counter[WIRE_COUNTER_SAMPLES] = 2;
    reader.counter[WIRE_COUNTER_MISSED] = 7;
    reader.counter[WIRE_COUNTER_RING_FULL] = 300;
    tprof_crc32c_init(&crc, 0);
    CHECK_EQ(encode_all(buffer, sizeof buffer, 2, &crc, &reader, 1, 0, &cells),
             sizeof vector_frame_at);
    CHECK_EQ(cells, 4);
    CHECK_MEM(buffer, vector_frame_at, sizeof vector_frame_at);
}

TEST(vectors_stats)
{
    static const uint64_t value[][2] = {{WIRE_STATS_CORE, 1},
                                        {WIRE_STATS_FLAGS, 3},
                                        {WIRE_STATS_TICKS, 7},
                                        {WIRE_STATS_SAMPLES, 7},
                                        {WIRE_STATS_STEAL, 5000000000}};
    static struct tprof_crc32c crc;
    static uint8_t buffer[sizeof vector_stats];
    struct tprof_frame f;

    tprof_crc32c_init(&crc, 0);
    tprof_frame_begin(&f, buffer, sizeof buffer, WIRE_STATS, 1);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        tprof_frame_field(&f, (uint32_t)value[i][0], value[i][1]);
    CHECK_EQ(tprof_frame_end(&f, &crc), sizeof vector_stats);
    CHECK_MEM(buffer, vector_stats, sizeof vector_stats);
}
