/* SPDX-License-Identifier: BSD-2-Clause */
/* The conversation's states, one by one; test_pipeline.c has it as a whole. */
#include "check.h"

#include <string.h>

#include "source/session.h"
#include "tprof_wire.h"

#define SECOND 1000000000ull

static struct err error;
static int refuse_open; /* enum source_state to give */

static enum source_state fake_open(struct source *s, struct err *e)
{
    (void)s;
    return refuse_open == SOURCE_FAILED ? (enum source_state)err_set(e, "no")
                                        : (enum source_state)refuse_open;
}

static ssize_t fake_write(struct source *s, const void *buf, size_t size,
                          struct err *e)
{
    (void)s;
    (void)buf;
    (void)e;
    return size > 3 ? 3 : (ssize_t)size; /* a slow guest */
}

static const struct source_ops ops = {
    .name = "fake", .open = fake_open, .write = fake_write};
static struct source source = {.ops = &ops, .fd = 0, .live = true, .path = "x"};

static struct session started(void)
{
    struct session s = {.source = &source};

    session_hello(&s, &(struct session_hello){.tsc_hz = 1000, .rate_hz = 10});
    CHECK_EQ(s.state, SESSION_SAMPLING);
    CHECK(s.out_size > 0);
    return s;
}

TEST(status_stopped_ends_draining_at_once) /* catches: a second wasted each time
                                            */
{
    struct session s = started();

    session_stop(&s);
    CHECK_EQ(s.state, SESSION_DRAINING);
    session_status(&s, WIRE_STATE_DRAINING, 0);
    CHECK_EQ(s.state, SESSION_DRAINING);
    session_status(&s, WIRE_STATE_STOPPED, 0);
    CHECK_EQ(s.state, SESSION_OVER);
}

TEST(draining_has_an_end) /* catches: waiting for a guest that died */
{
    struct session s = started();

    session_stop(&s);
    CHECK_EQ(session_tick(&s, s.entered_ns + SECOND / 2, &error), 0);
    CHECK_EQ(s.state, SESSION_DRAINING);
    CHECK_EQ(session_due(&s), s.entered_ns + SECOND);
    CHECK_EQ(session_tick(&s, s.entered_ns + SECOND, &error), 0);
    CHECK_EQ(s.state, SESSION_OVER);
}

TEST(slow_guest_gets_all_in_the_end) /* catches: commands cut in the middle */
{
    struct session s = started();
    size_t size = s.out_size;

    for (size_t left = size; left > 0; left -= left < 3 ? left : 3) {
        CHECK_EQ(s.out_size, left);
        CHECK_EQ(session_flush(&s, &error), 0);
    }
    CHECK_EQ(s.out_size, 0);
    for (int i = 0; i < 100; i++) /* never more than it has room for */
        session_gap(&s);
    CHECK(s.out_size <= sizeof s.out);
}

TEST(absurd_pongs_measure_nothing) /* catches: a clock set by a lying guest */
{
    struct session s = {.source = &source};

    CHECK_EQ(session_pong(&s, 1000, 5, 0), 0);        /* arrival unknown */
    CHECK_EQ(session_pong(&s, 0, 5, 11 * SECOND), 0); /* too old */
    CHECK(!s.has_first_pong);
    CHECK_EQ(session_pong(&s, SECOND, 5000, SECOND + 10), 0);
    CHECK(s.has_first_pong);
    CHECK_EQ(session_pong(&s, SECOND, 9000, SECOND + 10), 0); /* no time */
    CHECK_EQ(session_pong(&s, 2 * SECOND, 4000, 2 * SECOND + 10), 0);
    CHECK_EQ(session_pong(&s, 2 * SECOND, UINT64_MAX, 2 * SECOND + 10), 0);
    CHECK_EQ(session_pong(&s, 2 * SECOND, 8000, 2 * SECOND + 10), 3000);
    CHECK_EQ(session_pong(&s, 3 * SECOND + 100, 9000, 3 * SECOND + 100), 2000);
}

TEST(source_that_fails_to_open_is_an_error) /* catches: trying for ever */
{
    struct session s = {.source = &source};

    refuse_open = SOURCE_ABSENT;
    CHECK_EQ(session_tick(&s, 1, &error), 0);
    CHECK_EQ(s.state, SESSION_ABSENT);
    refuse_open = SOURCE_FAILED;
    CHECK_EQ(session_tick(&s, UINT64_MAX, &error), -1);
    CHECK_STR(error.text, "no");
}

TEST(
    one_way_guest_is_never_written_to) /* catches: bytes typed into a console */
{
    struct session s = {.source = &source};

    session_hello(&s, &(struct session_hello){.one_way = true});
    CHECK_EQ(s.state, SESSION_SAMPLING);
    session_gap(&s);
    session_status(&s, WIRE_STATE_STOPPED, WIRE_REFUSED_NO_CORE);
    CHECK_EQ(session_due(&s), SESSION_NEVER);
    session_stop(&s);
    CHECK_EQ(s.state, SESSION_OVER);
    CHECK_EQ(s.out_size, 0);
}
