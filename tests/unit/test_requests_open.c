/* SPDX-License-Identifier: BSD-2-Clause */
/* Open requests: which waits and samples are theirs, in any order of ends */
#include "request_frames.h"
#include "requests/request_tables.h"
#include "state/agent.h"
#include "threads/thread_table.h"

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

/* catches: samples after the end, on another core than the core that ends */
TEST(other_core_ends_the_samples_of_a_request)
{
    begin();
    pass(100);
    tprof_begin(0, 30);
    pass(10);
    on_core(1);
    tprof_end(0, 30);
    on_core(0);
    pass(100);
    flush();
    CHECK(samples_of[30] >= 9 && samples_of[30] <= 10);
}

/* catches: samples of thread 10 that follow the THREAD of thread 11, because
 * the ring had room for THREAD, but not for REQUEST */
TEST(thread_is_told_again_if_its_request_has_no_room)
{
    const struct tprof_regs regs = {0};
    struct tprof_recorder *r;

    begin();
    r = &tprof_agent.core[0]->recorder;
    tprof_thread(11);
    tprof_begin(0, 7);
    tprof_thread(10);
    pass(20);
    tprof_ring_publish(&r->ring, tprof_ring_tail(&r->ring) +
                                     tprof_ring_room(&r->ring) - 1);
    tprof_thread(11);
    tprof_machine.now += HZ / 1000;
    tprof_tick(&regs);
    CHECK(r->told != 10);
    CHECK(r->told != 11);
}

static struct tprof_open_request *busy;

static void end_busy(void)
{
    busy->state = TPROF_REQUEST_KEPT;
}

/* catches: a request that stays open because another core had its record */
TEST(end_waits_for_a_core_that_has_the_record)
{
    static struct tprof_machine_hooks hooks = {.relax = end_busy};

    begin();
    tprof_begin(0, 1);
    busy = tprof_request_tables.open;
    while (busy->number != 1)
        busy++;
    busy->state = TPROF_REQUEST_BUSY;
    tprof_machine.hooks = &hooks;
    tprof_end(0, 1);
    tprof_machine.hooks = NULL;
    flush();
    CHECK_EQ(kind_at[0][5], 1);
}

/* catches: a time that counts twice, because a core had read the clock before
 * another core took the request */
TEST(times_of_a_request_do_not_go_back)
{
    uint64_t t = begin();

    at(t + 100);
    tprof_begin(0, 1);
    on_core(1);
    at(t + 200);
    tprof_request(0, 1);
    on_core(0);
    tprof_machine.now = t + 150;
    tprof_request(0, 1);
    at(t + 300);
    tprof_end(0, 1);
    flush();
    CHECK_EQ(kind_at[0][6], 200);
    check_times(&kind_at[0][7], 200, 0, 0);
}

/* catches: requests before SINCE in the sums. The sums of threads have begun
 * long before. */
TEST(requests_count_when_their_sums_begin)
{
    init_agent();
    pass(1000);
    flush();
    init_requests();
    tprof_begin(0, 1);
    tprof_end(0, 1);
    pass(1000);
    tprof_begin(0, 2);
    tprof_end(0, 2);
    flush();
    CHECK_EQ(kind_at[0][5], 1);
}
