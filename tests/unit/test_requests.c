/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of requests (WIRE.md 11), compared with the times that the test has
 * given the requests */
#include "request_frames.h"

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
 * 11.1: below 128 a bucket has one time, then each power of two has 128. */
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
    (void)flush();
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
