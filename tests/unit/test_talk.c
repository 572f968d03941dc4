/* SPDX-License-Identifier: BSD-2-Clause */
/* The conversation's states, one by one; test_pipeline.c has it as a whole. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "guest/talk/talk.h"
#include "tprof_wire.h"

#define SECOND     1000000000ull
#define LAST_WORDS (3 * SECOND / 2) /* the wait for a STATUS after STOP */

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

static struct talk started(void)
{
    struct talk s = {.source = &source};

    talk_hello(&s, &(struct talk_greeting){.tsc_hz = 1000, .rate_hz = 10});
    CHECK_EQ(s.state, TALK_SAMPLING);
    CHECK(s.out_size > 0);
    return s;
}

/* catches: a machine restored from another one's memory, which says nothing */
TEST(silent_guest_is_greeted_once)
{
    struct talk s = {.source = &source};

    refuse_open = SOURCE_OPEN;
    CHECK_EQ(talk_tick(&s, 1, &error), 0);
    CHECK_EQ(s.state, TALK_SILENT);
    CHECK_EQ(s.out_size, 0);
    CHECK_EQ(talk_due(&s), s.entered_ns + SECOND);
    CHECK_EQ(talk_tick(&s, s.entered_ns + SECOND, &error), 0);
    CHECK_EQ(s.out[WIRE_FRAME_TYPE], WIRE_GREET);
    size_t size = s.out_size;

    CHECK_EQ(talk_tick(&s, s.entered_ns + 2 * SECOND, &error), 0);
    CHECK_EQ(s.out_size, size);
    CHECK_EQ(talk_due(&s), UINT64_MAX);
}

/* Catches: a second wasted each time */
TEST(status_stopped_ends_draining_at_once)
{
    struct talk s = started();

    talk_stop(&s);
    CHECK_EQ(s.state, TALK_DRAINING);
    talk_status(&s, &(struct guest_status){.state = WIRE_STATE_DRAINING});
    CHECK_EQ(s.state, TALK_DRAINING);
    talk_status(&s, &(struct guest_status){.state = WIRE_STATE_STOPPED});
    CHECK_EQ(s.state, TALK_OVER);
}

/* catches: no final count of a guest that a busy host stops late */
TEST(draining_from_outside_takes_longer)
{
    struct talk s = {.source = &source};

    talk_hello(&s, &(struct talk_greeting){
                       .tsc_hz = 1000, .rate_hz = 200, .outside = true});
    talk_stop(&s);
    CHECK_EQ(talk_due(&s), s.entered_ns + 10 * SECOND);
}

TEST(draining_has_an_end) /* catches: waiting for a guest that died */
{
    struct talk s = started();

    talk_stop(&s);
    CHECK_EQ(talk_tick(&s, s.entered_ns + SECOND / 2, &error), 0);
    CHECK_EQ(s.state, TALK_DRAINING);
    CHECK_EQ(talk_due(&s), s.entered_ns + LAST_WORDS);
    CHECK_EQ(talk_tick(&s, s.entered_ns + LAST_WORDS, &error), 0);
    CHECK_EQ(s.state, TALK_OVER);
}

TEST(slow_guest_gets_all_in_the_end) /* catches: commands cut in the middle */
{
    struct talk s = started();
    size_t size = s.out_size;

    for (size_t left = size; left > 0; left -= left < 3 ? left : 3) {
        CHECK_EQ(s.out_size, left);
        CHECK_EQ(talk_flush(&s, &error), 0);
    }
    CHECK_EQ(s.out_size, 0);
    for (int i = 0; i < 100; i++) /* never more than it has room for */
        talk_gap(&s);
    CHECK(s.out_size <= sizeof s.out);
}

TEST(absurd_pongs_measure_nothing) /* catches: a clock set by a lying guest */
{
    struct talk s = {.source = &source};

    CHECK_EQ(talk_pong(&s, 1000, 5, 0), 0);        /* arrival unknown */
    CHECK_EQ(talk_pong(&s, 0, 5, 11 * SECOND), 0); /* too old */
    CHECK(!s.has_first_pong);
    CHECK_EQ(talk_pong(&s, SECOND, 5000, SECOND + 10), 0);
    CHECK(s.has_first_pong);
    CHECK_EQ(talk_pong(&s, SECOND, 9000, SECOND + 10), 0); /* no time */
    CHECK_EQ(talk_pong(&s, 2 * SECOND, 4000, 2 * SECOND + 10), 0);
    CHECK_EQ(talk_pong(&s, 2 * SECOND, UINT64_MAX, 2 * SECOND + 10), 0);
    CHECK_EQ(talk_pong(&s, 2 * SECOND, 8000, 2 * SECOND + 10), 3000);
    CHECK_EQ(talk_pong(&s, 3 * SECOND + 100, 9000, 3 * SECOND + 100), 2000);
}

TEST(source_that_fails_to_open_is_an_error) /* catches: trying for ever */
{
    struct talk s = {.source = &source};

    refuse_open = SOURCE_ABSENT;
    CHECK_EQ(talk_tick(&s, 1, &error), 0);
    CHECK_EQ(s.state, TALK_ABSENT);
    refuse_open = SOURCE_FAILED;
    CHECK_EQ(talk_tick(&s, UINT64_MAX, &error), -1);
    CHECK_STR(error.text, "no");
}

/* Catches: bytes typed into a console */
TEST(one_way_guest_is_never_written_to)
{
    struct talk s = {.source = &source};

    talk_hello(&s, &(struct talk_greeting){.one_way = true});
    CHECK_EQ(s.state, TALK_SAMPLING);
    talk_gap(&s);
    talk_status(&s, &(struct guest_status){.refusal = WIRE_REFUSED_NO_CORE});
    CHECK_EQ(talk_due(&s), TALK_NEVER);
    talk_stop(&s);
    CHECK_EQ(s.state, TALK_OVER);
    CHECK_EQ(s.out_size, 0);
}

/* A source whose guest comes and goes */

static char told[4096];

static void keep_note(void *context, const char *line)
{
    (void)context;
    size_t used = strlen(told);

    snprintf(told + used, sizeof told - used, "%s\n", line);
}

static struct source vm = {
    .ops = &ops, .fd = 0, .live = true, .path = "vm", .reconnects = true};

static struct talk met(uint64_t wait_ns)
{
    struct talk s = {.source = &vm, .wait_ns = wait_ns, .note = keep_note};

    refuse_open = SOURCE_OPEN;
    CHECK_EQ(talk_tick(&s, 1, &error), 0);
    CHECK_EQ(s.state, TALK_SILENT);
    talk_heard(&s);
    talk_hello(&s, &(struct talk_greeting){.tsc_hz = 1000, .rate_hz = 10});
    CHECK_EQ(s.state, TALK_SAMPLING);
    return s;
}

TEST(silent_guest_is_asked_whether_it_is_there) /* catches: waiting for ever */
{
    struct talk s = met(SECOND);
    size_t size = s.out_size;
    uint64_t due = talk_due(&s);

    CHECK_EQ(due, s.heard_ns + 5 * SECOND);
    CHECK_EQ(talk_tick(&s, due - 1, &error), 0);
    CHECK_EQ(s.out_size, size);
    CHECK_EQ(talk_tick(&s, due, &error), 0);
    CHECK_EQ(s.state, TALK_SAMPLING);
    CHECK(s.out_size > size);
    CHECK_EQ(s.out[size + WIRE_FRAME_TYPE], WIRE_PING);
    CHECK_EQ(talk_due(&s), due + 5 * SECOND); /* once, for now */
    talk_heard(&s);
    CHECK(talk_due(&s) < due + 5 * SECOND && talk_due(&s) > due - SECOND);
}

TEST(silence_is_told_and_not_asked_about_where_no_death_can_be_heard)
{
    struct talk s = started(); /* a serial port: it stays */
    size_t size = s.out_size;

    s.note = keep_note;
    told[0] = '\0';
    CHECK_EQ(talk_due(&s), s.heard_ns + 5 * SECOND);
    CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0);
    CHECK_EQ(s.out_size, size);
    CHECK(strstr(told, "nothing came from the guest for 5 s") != NULL);
    told[0] = '\0';
    CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0);
    CHECK_STR(told, ""); /* once is enough */
    s = met(SECOND);
    talk_stop(&s); /* its end is near anyway */
    CHECK_EQ(talk_due(&s), s.entered_ns + LAST_WORDS);
}

TEST(low_rates_get_more_time_for_last_words) /* catches: STATS of 1 Hz missed */
{
    struct talk s = {.source = &source, .rate_hz = 1};

    talk_hello(&s, &(struct talk_greeting){.tsc_hz = 1000, .rate_hz = 997});
    talk_stop(&s);
    CHECK_EQ(talk_due(&s), s.entered_ns + 5 * SECOND / 2);
    s = (struct talk){.source = &source};
    talk_hello(&s, &(struct talk_greeting){.tsc_hz = 1000, .rate_hz = 997});
    talk_stop(&s);
    CHECK_EQ(talk_due(&s), s.entered_ns + LAST_WORDS);
}

/* catches: a profile at another rate than the one on the command line */
TEST(limits_of_the_guest_are_told)
{
    struct talk s = {.source = &vm, .note = keep_note, .rate_hz = 5000};
    struct guest_status status = {
        .state = WIRE_STATE_SAMPLING, .rate_hz = 5000, .depth = 16};

    told[0] = '\0';
    talk_hello(&s, &(struct talk_greeting){.tsc_hz = 1000, .rate_hz = 997});
    talk_status(&s, &status); /* any depth will do */
    CHECK_STR(told, "");
    status.rate_hz = 1000;
    talk_status(&s, &status);
    talk_status(&s, &status);
    CHECK_STR(told, "the guest samples at 1000 Hz, not at 5000: its kernel "
                    "allows no other rate (config.rate_max_hz, "
                    "config.control)\n");
    told[0] = '\0';
    s.depth = 64;
    talk_status(&s, &status);
    CHECK_STR(told, "the guest records up to 16 callers, not 64: its kernel "
                    "allows no other depth (config.frames_max, "
                    "config.control)\n");
}

TEST(each_reason_for_absence_is_told_once)
{
    struct talk s = {.source = &vm, .note = keep_note};
    uint64_t now = 1;

    refuse_open = SOURCE_ABSENT;
    vm.warning = "mind CID 2";
    CHECK_EQ(talk_tick(&s, now, &error), 0); /* it does not know yet */
    CHECK_STR(told, "mind CID 2\n");
    for (int i = 0; i < 9; i++) {
        vm.absence = i < 3 ? "no guest" : i < 6 ? "nobody listens" : "no guest";
        CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0);
    }
    CHECK_STR(told, "mind CID 2\nwaiting: no guest\nwaiting: nobody listens\n");
    vm.warning = vm.absence = NULL;
}

TEST(guest_that_left_is_waited_for_until_then_and_no_longer)
{
    struct talk s = met(SECOND * 3 / 10);

    talk_gap(&s); /* a command that will not be sent any more */
    talk_cut(&s);
    CHECK_EQ(s.state, TALK_ABSENT);
    CHECK_EQ(s.out_size, 0);
    uint64_t end = s.left_ns + SECOND * 3 / 10;

    refuse_open = SOURCE_ABSENT;
    while (talk_due(&s) < end)
        CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0);
    CHECK_EQ(talk_due(&s), end);
    CHECK(!s.stayed_away);
    CHECK_EQ(talk_tick(&s, end, &error), 0);
    CHECK_EQ(s.state, TALK_OVER);
    CHECK(s.stayed_away);
    CHECK_STR(told, "the guest left vm; waiting 0.3 s for it to come back "
                    "(Ctrl-C: report now)\nthe guest stayed away\n");
}

TEST(guest_that_comes_back_is_started_again)
{
    struct talk s = met(3 * SECOND);

    talk_cut(&s);
    uint64_t left = s.left_ns;

    refuse_open = SOURCE_OPEN; /* a connection alone is no guest */
    CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0);
    CHECK_EQ(s.state, TALK_SILENT);
    talk_cut(&s);
    CHECK_EQ(s.left_ns, left);
    CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0);
    talk_hello(&s, &(struct talk_greeting){.tsc_hz = 1000, .rate_hz = 10});
    CHECK_EQ(s.state, TALK_SAMPLING);
    CHECK_EQ(s.left_ns, 0);
    CHECK(s.out_size > 0);
    CHECK_EQ(talk_due(&s), s.heard_ns + 5 * SECOND);
    CHECK(strstr(told, "connected to vm again; sampling goes on") != NULL);
}

TEST(cut_is_the_end_where_nobody_comes_back)
{
    struct talk s = met(0); /* the user does not want to wait */

    talk_cut(&s);
    CHECK_EQ(s.state, TALK_OVER);
    s = started(); /* a serial port */
    talk_cut(&s);
    CHECK_EQ(s.state, TALK_OVER);
    s = met(SECOND);
    talk_stop(&s);
    talk_cut(&s); /* while its last words are awaited */
    CHECK_EQ(s.state, TALK_OVER);
    CHECK(!s.stayed_away);
    CHECK_STR(told, "");
}

/* Catches: a guest that never comes, waited for until somebody looks */
TEST(first_wait_has_an_end_where_one_is_set)
{
    struct talk s = {
        .source = &vm, .note = keep_note, .first_wait_ns = 3 * SECOND};
    struct err why;

    refuse_open = SOURCE_ABSENT;
    vm.absence = "no guest with CID 3 runs";
    CHECK_EQ(talk_tick(&s, 5 * SECOND, &error), 0);
    CHECK_EQ(talk_tick(&s, 8 * SECOND - 1, &error), 0);
    CHECK_EQ(s.state, TALK_ABSENT);
    CHECK_EQ(talk_tick(&s, 8 * SECOND, &error), 0);
    CHECK(s.state == TALK_OVER && s.stayed_away);
    talk_excuse(&s, &why);
    CHECK_STR(why.text, "vm: no guest with CID 3 runs");
    vm.absence = ""; /* it was connected, and no reason is known yet */
    talk_excuse(&s, &why);
    CHECK_STR(why.text, "vm: the program that listens there does not answer");

    /* one that is connected, and says nothing */
    s = (struct talk){
        .source = &vm, .note = keep_note, .first_wait_ns = 3 * SECOND};
    refuse_open = SOURCE_OPEN;
    CHECK_EQ(talk_tick(&s, 5 * SECOND, &error), 0);
    CHECK_EQ(s.state, TALK_SILENT);
    CHECK_EQ(talk_tick(&s, 8 * SECOND, &error), 0);
    CHECK(s.state == TALK_OVER && s.stayed_away);
    talk_excuse(&s, &why);
    CHECK(strstr(why.text, "vm: no guest answered") != NULL);

    /* one that was closed before it said anything, as a guest that crashed */
    s = (struct talk){.source = &vm, .note = keep_note};
    CHECK_EQ(talk_tick(&s, 5 * SECOND, &error), 0);
    CHECK_EQ(s.state, TALK_SILENT);
    talk_cut(&s);
    talk_excuse(&s, &why);
    CHECK(strstr(why.text, "vm was closed before a guest answered: the guest "
                           "crashed or exited") != NULL);

    /* one that came may leave and come back */
    s = (struct talk){.source = &vm,
                      .note = keep_note,
                      .first_wait_ns = 3 * SECOND,
                      .met = true,
                      .state = TALK_SAMPLING,
                      .retry_ns = TALK_NEVER,
                      .heard_ns = 8 * SECOND};
    CHECK_EQ(talk_tick(&s, 9 * SECOND, &error), 0);
    CHECK_EQ(s.state, TALK_SAMPLING);
}

/* Catches: "no guest" where an echo answers */
TEST(other_protocol_is_called_so)
{
    struct talk s = {.source = &vm, .note = keep_note};

    refuse_open = SOURCE_OPEN;
    vm.silence = "the guest hangs";
    CHECK_EQ(talk_tick(&s, 1, &error), 0);
    CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0); /* is greeted */
    CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0);
    CHECK_STR(told, "connected to vm, but no guest answered within 2 s: the "
                    "guest hangs. Still waiting\n");
    told[0] = '\0';
    talk_cut(&s);
    vm.silence = NULL; /* a serial port's */
    CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0);
    CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0);
    CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0);
    CHECK(strstr(told, "still waiting.\nWhy, the likeliest first:\n"
                       "- the guest is not up yet, or is paused;\n") != NULL);
    CHECK(strstr(told, "virtserialport,chardev=...,name=tprof.0;\n") != NULL);
    told[0] = '\0';
    talk_cut(&s);
    CHECK_EQ(talk_tick(&s, talk_due(&s), &error), 0);
    talk_heard(&s);
    talk_cut(&s);
    CHECK(strstr(told, "the bytes from vm are not tprof's") != NULL);
    CHECK_EQ(s.left_ns, 0); /* no guest was there that could have left */
    CHECK_EQ(s.state, TALK_ABSENT);
}

/* Catches: a terminal that a guest fills */
TEST(guest_that_boots_all_the_time_is_told_of_once)
{
    struct talk s = met(SECOND);
    struct talk_greeting boot = {
        .tsc_hz = 1000, .rate_hz = 10, .rebooted = true};

    for (int i = 0; i < 100; i++) {
        talk_hello(&s, &boot);
        talk_status(&s, &(struct guest_status){.refusal = (uint8_t)(i + 10)});
    }
    unsigned lines = 0;

    for (const char *c = told; *c != '\0'; c++)
        lines += *c == '\n';
    CHECK_EQ(lines, TALK_TOLD);
    CHECK(strncmp(told, "the guest rebooted; sampling goes on\n", 37) == 0);
}
