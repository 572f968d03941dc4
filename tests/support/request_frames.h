/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of requests (WIRE.md 11): the frames of an agent on virtual cores, as
 * the tests of requests read them */
#ifndef TPROF_SUPPORT_REQUEST_FRAMES_H
#define TPROF_SUPPORT_REQUEST_FRAMES_H

#include <string.h>

#include "check.h"
#include "machine.h"
#include "one_way.h"
#include "tprof_wire.h"

#define CORES   2u
#define HZ      1000000u /* of the clock */
#define THREADS 64u
#define WAITS   64u
#define KINDS   2u
#define OPEN    64u
#define SLOW    4u
#define TAGS    16u

static uint64_t memory[TPROF_THREADS_MEMORY(CORES, THREADS, WAITS) / 8]
    __attribute__((aligned(64)));
static uint64_t request_memory[TPROF_REQUESTS_MEMORY(KINDS, OPEN, SLOW) / 8]
    __attribute__((aligned(64)));

/* The last REQUEST of each kind, its histogram, and all SLOW, by tag */
static uint64_t kind_at[KINDS][TAGS], slow_at[256][TAGS];
static uint32_t slow_count, histogram[KINDS][8192];
static char name_of[KINDS][32];

/* Samples by the number in the REQUEST record before them */
static uint64_t samples_of[64], sampled_by[CORES];

static inline void count_samples(const uint8_t *body)
{
    uint32_t cells = body[16] | (uint32_t)body[17] << 8;
    uint64_t sampled = sampled_by[body[0]];

    for (uint32_t i = 0; i < cells;) {
        const uint8_t *cell = body + 18 + 7 * i, *at = cell + 2;
        uint32_t type = cell[0] & 1 ? cell[0] >> 1 : 0;

        if (type == 3 || type == 8) /* BEGIN, THREAD */
            sampled = 0;
        if (type == 9) { /* REQUEST */
            CHECK(varint(&at) < KINDS);
            sampled = varint(&at);
            CHECK(sampled > 0 && sampled < 64);
        }
        samples_of[sampled] += type <= 1;
        i += type ? cell[1] : 1;
        sampled_by[body[0]] = sampled;
    }
}

static inline void read_fields(uint64_t *value, const uint8_t *at,
                               const uint8_t *end, const uint8_t **bytes,
                               uint32_t tag)
{
    while (at < end) {
        uint64_t v = 0;

        CHECK(at[0] < TAGS && at + 2 + at[1] <= end);
        for (uint32_t i = at[1]; i > 0 && at[1] <= 8; i--)
            v = v << 8 | at[1 + i];
        value[at[0]] = v;
        if (at[0] == tag)
            *bytes = at + 1;
        at += 2 + at[1];
    }
}

static inline int take(void *context, const void *data, uint32_t size)
{
    const uint8_t *frame = data, *bytes = NULL, *end = frame + size - 4;
    uint64_t v[TAGS] = {0};

    (void)context;
    switch (frame[2]) {
    case WIRE_SAMPLES:
        count_samples(frame + 8);
        break;
    case WIRE_REQUEST:
        read_fields(v, frame + 8, end, &bytes, 2);
        CHECK(v[1] < KINDS);
        memcpy(kind_at[v[1]], v, sizeof v);
        if (bytes)
            memcpy(name_of[v[1]], bytes + 1, *bytes);
        break;
    case WIRE_REQUEST_TIMES:
        read_fields(v, frame + 8, end, &bytes, 3);
        CHECK(v[1] < KINDS && bytes);
        end = bytes + 1 + *bytes;
        bytes++;
        for (uint64_t i = v[2]; bytes < end; i++)
            histogram[v[1]][i] = (uint32_t)varint(&bytes);
        break;
    case WIRE_SLOW:
        read_fields(v, frame + 8, end, &bytes, 0);
        CHECK(slow_count < 256);
        memcpy(slow_at[slow_count++], v, sizeof v);
        break;
    default:
        break;
    }
    return (int)size;
}

static inline void init_agent(void)
{
    const struct tprof_threads_config threads = {
        .memory = memory,
        .size = sizeof memory,
        .threads = THREADS,
        .waits = WAITS,
    };

    one_way_cores(CORES, HZ, 1000, take);
    CHECK_EQ(tprof_threads(&threads), TPROF_OK);
}

static inline void init_requests(void)
{
    const struct tprof_requests_config config = {
        .memory = request_memory,
        .size = sizeof request_memory,
        .kinds = KINDS,
        .open = OPEN,
        .slow = SLOW,
    };

    CHECK_EQ(tprof_requests(&config), TPROF_OK);
    CHECK_EQ(tprof_kind(0, "query"), TPROF_OK);
}

/* (ms) milliseconds pass on all cores, with ticks. */
static inline void pass(uint32_t ms)
{
    const struct tprof_regs regs = {0};
    uint32_t core = tprof_machine.core;

    for (uint32_t t = 0; t < ms; t++) {
        tprof_machine.now += HZ / 1000;
        for (uint32_t i = 0; i < CORES; i++) {
            on_core(i);
            tprof_tick(&regs);
        }
    }
    on_core(core);
}

/* Sends what has changed. Returns a round number on the clock. */
static inline uint64_t flush(void)
{
    CHECK_EQ(tprof_flush(100000), 0);
    tprof_machine.now += HZ - tprof_machine.now % HZ;
    return tprof_machine.now;
}

/* Returns the time at which a story begins, with threads 10 and 11. */
static inline uint64_t begin(void)
{
    init_agent();
    init_requests();
    CHECK_EQ(tprof_name(10, "ten"), TPROF_OK);
    CHECK_EQ(tprof_name(11, "eleven"), TPROF_OK);
    tprof_thread(10);
    pass(1000);
    flush();
    slow_count = 0;
    return flush();
}

static inline void check_times(const uint64_t *times, uint64_t running,
                               uint64_t ready, uint64_t blocked)
{
    CHECK_EQ(times[0], running);
    CHECK_EQ(times[1], ready);
    CHECK_EQ(times[2], blocked);
}

#endif
