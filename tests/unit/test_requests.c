/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of requests (WIRE.md 10.5 and 10.6): the frames of an agent on virtual
 * cores, compared with the times that the test has given the requests. */
#include <string.h>

#include "check.h"
#include "machine.h"
#include "one_way.h"
#include "threads/thread_table.h"
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

static void count_samples(const uint8_t *body)
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

static void read_fields(uint64_t *value, const uint8_t *at, const uint8_t *end,
                        const uint8_t **bytes, uint32_t tag)
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

static int take(void *context, const void *data, uint32_t size)
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

static void init_agent(void)
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

static void init_requests(void)
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
static void pass(uint32_t ms)
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
static uint64_t flush(void)
{
    CHECK_EQ(tprof_flush(100000), 0);
    tprof_machine.now += HZ - tprof_machine.now % HZ;
    return tprof_machine.now;
}

/* Returns the time at which a story begins, with threads 10 and 11. */
static uint64_t begin(void)
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

static void check_times(const uint64_t *times, uint64_t running, uint64_t ready,
                        uint64_t blocked)
{
    CHECK_EQ(times[0], running);
    CHECK_EQ(times[1], ready);
    CHECK_EQ(times[2], blocked);
}

TEST(bad_calls_are_refused)
{
    struct tprof_requests_config c = {.memory = request_memory,
                                      .size = sizeof request_memory};

    tprof_begin(0, 1);
    tprof_end(0, 1);
    CHECK_EQ(tprof_kind(0, "early"), TPROF_ERR_STATE);
    CHECK_EQ(tprof_requests(&c), TPROF_ERR_NOT_INIT);
    init_agent();
    c.kinds = 33;
    CHECK_EQ(tprof_requests(&c), TPROF_ERR_CONFIG);
    c.kinds = KINDS, c.open = 15;
    CHECK_EQ(tprof_requests(&c), TPROF_ERR_CONFIG);
    c.open = OPEN, c.slow = SLOW, c.size--;
    CHECK_EQ(tprof_requests(&c), TPROF_ERR_MEMORY_SMALL);
    c.size++;
    CHECK_EQ(tprof_requests(&c), TPROF_OK);
    CHECK_EQ(tprof_requests(&c), TPROF_ERR_STATE);
    CHECK_EQ(tprof_kind(KINDS, "no kind"), TPROF_ERR_CONFIG);
    CHECK_EQ(tprof_kind(0, NULL), TPROF_ERR_CONFIG);
    pass(1000);
    tprof_begin(KINDS, 1);
    tprof_begin(0, 0);
    tprof_end(KINDS, 1);
    tprof_end(0, 77);
    flush();
    CHECK_EQ(kind_at[0][5], 0);
    CHECK_EQ(kind_at[0][11], 0);
}

/* catches: times of the thread before the request; a wait of the wrong request.
 * Thread 10 waits for 900 before the request. In the request the thread runs
 * from 100 to 150, is blocked until 250, ready until 300, and runs until 400.
 */
TEST(request_has_the_times_of_its_thread)
{
    uint64_t t = begin();

    tprof_switch(10, 0, TPROF_BLOCKED);
    at(t + 900);
    tprof_switch(0, 10, TPROF_READY);
    t += 1000;
    at(t + 100);
    tprof_begin(0, 7);
    at(t + 150);
    tprof_switch(10, 11, TPROF_BLOCKED);
    at(t + 250);
    tprof_wake(10);
    at(t + 300);
    tprof_switch(11, 10, TPROF_READY);
    at(t + 400);
    tprof_end(0, 7);
    tprof_end(0, 7); /* not open */
    flush();
    CHECK(strcmp(name_of[0], "query") == 0);
    CHECK_EQ(kind_at[0][5], 1);
    CHECK_EQ(kind_at[0][6], 300);
    check_times(&kind_at[0][7], 150, 50, 100);
    CHECK_EQ(kind_at[0][10], 300);
    CHECK_EQ(kind_at[0][11], 0);
    CHECK_EQ(slow_count, 1);
    CHECK_EQ(slow_at[0][2], 7);
    CHECK_EQ(slow_at[0][3], t + 100);
    CHECK_EQ(slow_at[0][4], 300);
    check_times(&slow_at[0][5], 150, 50, 100);
    CHECK_EQ(slow_at[0][8], 100);
    CHECK_EQ(slow_at[0][10], 1);
    CHECK_EQ(kind_at[1][5], 0);
}

/* catches: a request whose thread is always that which began it. No thread
 * works on request 5 for 100; then thread 10 runs for 50, and core 1, which
 * runs thread 11, for 200 of which 30 are after the wait. */
TEST(request_moves_from_thread_to_thread)
{
    uint64_t t = begin();

    at(t + 100);
    tprof_queue(1, 5);
    at(t + 200);
    tprof_request(1, 5);
    on_core(1);
    at(t + 220);
    tprof_switch(0, 11, TPROF_READY);
    at(t + 250);
    tprof_request(1, 5);
    at(t + 350);
    tprof_switch(11, 0, TPROF_BLOCKED);
    at(t + 420);
    tprof_switch(0, 11, TPROF_READY);
    on_core(0);
    at(t + 450);
    tprof_end(1, 5);
    flush();
    CHECK_EQ(kind_at[1][6], 350);
    check_times(&kind_at[1][7], 50 + 130, 0, 70);
}

/* catches: an inner request that ends the work on the outer one */
TEST(requests_inside_requests_have_their_own_times)
{
    uint64_t t = begin();

    at(t + 100);
    tprof_begin(0, 1);
    at(t + 120);
    tprof_begin(1, 2);
    at(t + 130);
    tprof_switch(10, 0, TPROF_BLOCKED);
    at(t + 190);
    tprof_switch(0, 10, TPROF_READY);
    at(t + 200);
    tprof_end(1, 2);
    at(t + 300);
    tprof_request(0, 0); /* aside */
    at(t + 400);
    tprof_end(0, 1);
    flush();
    check_times(&kind_at[1][7], 20, 0, 60);
    CHECK_EQ(kind_at[0][6], 300);
    check_times(&kind_at[0][7], 140, 0, 60);
    CHECK_EQ(slow_count, 2);
    CHECK_EQ(slow_at[0][8], 60); /* the wait is also the outer one's */
    CHECK_EQ(slow_at[1][8], 60);
}

/* catches: times of a core without threads */
TEST(core_without_threads_works_on_requests)
{
    uint64_t t = begin();

    on_core(1);
    at(t + 100);
    tprof_begin(0, 3);
    at(t + 350);
    tprof_end(0, 3);
    flush();
    check_times(&kind_at[0][7], 250, 0, 0);
}

/* catches: a bucket that is too wide, or a time in the wrong bucket. WIRE.md
 * 10.5: below 128 a bucket has one time, then each power of two has 128. */
TEST(histogram_has_times_to_one_percent)
{
    static const struct {
        uint64_t time;
        uint32_t bucket;
    } is[] = {
        {1, 1},
        {127, 127},
        {128, 128},
        {255, 255},
        {256, 256},
        {257, 256},
        {258, 257},
        {511, 383},
        {512, 384},
        {1000, 506},
        {1000000, 128 * 13 + 116},
        {65536, 128 * 10},
    };
    uint64_t t = begin();

    for (uint32_t i = 0; i < sizeof is / sizeof *is; i++) {
        at(t + 10);
        tprof_begin(0, 9);
        at(t + 10 + is[i].time);
        tprof_end(0, 9);
        t += 20 + is[i].time;
    }
    flush();
    for (uint32_t i = 0; i < sizeof is / sizeof *is; i++)
        CHECK_EQ(histogram[0][is[i].bucket],
                 1 + (is[i].time == 256 || is[i].time == 257));
}

/* catches: a limit that does not follow the histogram; a wrong percentile */
TEST(limit_is_the_99th_percentile)
{
    uint64_t t = begin();

    for (uint32_t i = 0; i < 1000; i++, t += 3000) {
        at(t + 10);
        tprof_begin(0, 1 + i);
        at(t + (i % 100 == 99 ? 2010 : 110));
        tprof_end(0, 1 + i);
    }
    t = flush();
    CHECK_EQ(kind_at[0][5], 1000);
    CHECK_EQ(slow_count, SLOW);
    for (uint32_t i = 0; i < SLOW; i++) /* they took the place of others */
        CHECK_EQ(slow_at[i][4], 2000);
    slow_count = 0;
    t = flush();
    CHECK(kind_at[0][14] > 100 && kind_at[0][14] <= 2000);
    uint64_t slow = kind_at[0][13];

    at(t + 10);
    tprof_begin(0, 1);
    at(t + 110);
    tprof_end(0, 1);
    flush();
    CHECK_EQ(slow_count, 0);
    CHECK_EQ(kind_at[0][13], slow);
}

/* catches: a full table that forgets the number of requests */
TEST(requests_without_room_are_counted)
{
    begin();
    for (uint32_t i = 1; i <= 3 * OPEN; i++)
        tprof_begin(0, i);
    flush();
    CHECK(kind_at[0][11] <= OPEN && kind_at[0][11] > OPEN / 2);
    CHECK_EQ(kind_at[0][11] + kind_at[0][12], 3 * OPEN);
}

/* catches: samples of the request before; a request that stays with the core */
TEST(each_sample_is_of_the_request_that_its_thread_works_on)
{
    begin();
    pass(100);
    tprof_begin(0, 20);
    pass(100);
    tprof_begin(0, 21);
    pass(50);
    tprof_switch(10, 11, TPROF_BLOCKED);
    pass(200);
    tprof_wake(10);
    tprof_switch(11, 10, TPROF_READY);
    pass(30);
    tprof_end(0, 21);
    pass(10);
    tprof_end(0, 20);
    pass(100);
    flush();
    /* a tick may have taken over orders instead, which come once a second */
    CHECK(samples_of[20] >= 109 && samples_of[20] <= 110);
    CHECK(samples_of[21] >= 79 && samples_of[21] <= 80);
}

/* catches: a wait of the outer request that counts for the inner request; the
 * wait of an inner request that ends later. Thread 10 waits for 50, 200 and
 * 100. */
TEST(longest_wait_is_inside_the_request)
{
    static const uint64_t wait[] = {200, 100, 50};
    uint64_t t = begin();

    for (uint32_t i = 0; i < 3; i++, t += 300) {
        tprof_begin(0, 1 + i);
        at(t + 10);
        tprof_switch(10, 0, TPROF_BLOCKED);
        at(t + 10 + wait[i]);
        tprof_switch(0, 10, TPROF_READY);
    }
    tprof_end(0, 2); /* not the last one: waits of 100 and 50 */
    tprof_end(0, 3);
    tprof_end(0, 1);
    tprof_begin(0, 4);
    at(t);
    tprof_end(0, 4);
    flush();
    CHECK_EQ(slow_count, 4);
    CHECK_EQ(slow_at[0][8], 100);
    CHECK_EQ(slow_at[1][8], 50);
    CHECK_EQ(slow_at[2][8], 200);
    CHECK_EQ(slow_at[3][8], 0);
}

/* catches: an outer request that has no samples after an inner one has ended */
TEST(samples_return_to_a_request_that_is_open)
{
    begin();
    pass(100);
    tprof_begin(0, 20);
    tprof_begin(0, 21);
    tprof_begin(0, 22);
    pass(10);
    tprof_end(0, 21);
    tprof_end(0, 22);
    pass(100);
    tprof_end(0, 20);
    pass(10);
    flush();
    CHECK(samples_of[20] >= 99 && samples_of[20] <= 100);
    CHECK(samples_of[20] >= 99 && samples_of[20] <= 100);
    CHECK(samples_of[22] >= 9 && samples_of[22] <= 10);
}

/* catches: a wait of the thread that has got the record of an ended thread.
 * Thread 10 ends and leaves request 1 open. */
TEST(request_outlives_its_thread)
{
    uint64_t t = begin(), id = 100;
    const struct tprof_thread_record *record = tprof_thread_table_find(10);

    tprof_begin(0, 1);
    tprof_switch(10, 0, TPROF_ENDED);
    while (tprof_thread_table_find(id) != record)
        (void)tprof_name(++id, "next");
    tprof_switch(0, id, TPROF_READY);
    tprof_begin(0, 2);
    at(t + 100);
    tprof_switch(id, 0, TPROF_BLOCKED);
    at(t + 500);
    tprof_switch(0, id, TPROF_READY);
    tprof_end(0, 1);
    tprof_end(0, 2);
    flush();
    CHECK_EQ(slow_count, 2);
    CHECK_EQ(slow_at[0][8], 0);
    CHECK_EQ(slow_at[1][8], 400);
}
