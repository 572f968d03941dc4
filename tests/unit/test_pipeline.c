/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conversation with a guest: a child process plays one on a Unix socket,
 * with frames of wiregen, and checks what the collector sends.
 */
#include "check.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake_guest.h"
#include "guest/pipeline.h"
#include "run_alone.h"
#include "tprof_wire.h"
#include "util/host_clock.h"
#include "wiregen.h"

#define GHZ 1000000000u

static struct err error;
static pid_t guest;
static struct pipeline *p;
static uint8_t body[64]; /* of the frame that a guest heard last */
static int stop_pipe[2]; /* the user, as the guest plays him */
static int stop_fd = -1; /* stop_pipe's, where the collector hears it */
static char notes[4096];
static int hellos;

/* The collector's side */

static void press_stop(void)
{
    CHECK_EQ(write(stop_pipe[1], "", 1), 1);
}

static void note(void *context, const char *line)
{
    (void)context;
    if (strstr(line, "another client"))
        press_stop(); /* ends play_silence() */
    size_t used = strlen(notes);

    snprintf(notes + used, sizeof notes - used, "%s\n", line);
}

static int hello(void *context, const struct guest *g, struct err *e)
{
    (void)context;
    hellos++;
    return g->cores == 1 ? 0 : err_set(e, "wrong guest");
}

static struct pipeline_config config = {.hello = hello, .note = note};

static void open_pipeline(struct source *source)
{
    CHECK(source != NULL);
    p = pipeline_new(source, &config, &error);
    CHECK(p != NULL);
}

/* Start a guest that runs (play), and open a pipeline to it. (tsc_hz) is the
 * rate of the guest's clock; 0: the guest does not know it. */
static void begin(void (*play)(struct guest_side *), uint64_t tsc_hz)
{
    make_dir();
    guest = start_guest(play, (struct guest_side){.tsc_hz = tsc_hz});
    open_pipeline(source_serial(socket_path, &error));
}

/* The same, with a user whom press_stop() plays. */
static void begin_with_user(void (*play)(struct guest_side *))
{
    CHECK_EQ(pipe(stop_pipe), 0);
    stop_fd = stop_pipe[0];
    begin(play, GHZ);
}

/* Open a pipeline to the recording instead. */
static void replay(void)
{
    pipeline_free(p);
    config = (struct pipeline_config){.hello = hello, .note = note};
    open_pipeline(source_replay(record_path, &error));
}

static void end(void)
{
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}

/* Run the pipeline for (duration_s), 0: to its end, or until press_stop(). */
static enum pipeline_end run_for(double duration_s)
{
    enum pipeline_end reason;
    int result = run_alone(p, duration_s, stop_fd, &reason, &error);

    if (result < 0)
        CHECK_STR(error.text, "");
    return reason;
}

static enum pipeline_end run(void)
{
    return run_for(0);
}

/* Say HELLO as a guest, and hear START without a wish. */
static void greet(struct guest_side *g)
{
    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
}

static void play_in_order(struct guest_side *g)
{
    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 10);
    CHECK_MEM(body, "\x01\x04\xa0\x0f\0\0\x02\x02\x20\0", 10); /* 4000, 32 */
    say_status(g, WIRE_STATE_SAMPLING, 0);
    say_samples(g, 10, 0);
    CHECK_EQ(hear(g, WIRE_STOP, body), 0);
    say_samples(g, 5, 10);
    wiregen_stats(&g->w, &(struct wiregen_stats){.flags = WIRE_STATS_FINAL,
                                                 .counters = {15, 0, 0, 0}});
    say(g);
    say_status(g, WIRE_STATE_STOPPED, 0);
    CHECK_EQ(hear(g, WIRE_STOP, body), -1); /* the collector leaves */
}

/* Catches: START, STOP or the last STATS missing */
TEST(whole_session_in_order)
{
    config.rate_hz = 4000;
    config.depth = 32;
    config.record_path = record_path;
    strcpy(config.info.elf, "/k/app.elf");
    begin(play_in_order, GHZ);
    CHECK_EQ(run_for(0.2), PIPELINE_DURATION);
    const struct profile *profile = pipeline_profile(p);

    CHECK_EQ(hellos, 1);
    CHECK_STR(notes, "");
    CHECK_EQ(profile->cores[0].account.samples, 15);
    CHECK(profile->cores[0].account.complete);
    CHECK_EQ(profile->cores[0].total.samples, 15);
    CHECK(profile->wall_start > 1e9);
    CHECK(profile->arrival_s > 0 && profile->arrival_s < 60);
    CHECK_EQ(profile->health.frames, 6);

    replay(); /* gives the same profile */
    CHECK_EQ(run(), PIPELINE_SOURCE_END);
    profile = pipeline_profile(p);
    CHECK_EQ(profile->cores[0].account.samples, 15);
    CHECK(profile->cores[0].account.complete);
    CHECK(profile->wall_start > 1e9);
    CHECK(profile->arrival_s > 0 && profile->arrival_s < 60);
    enum recording_end how;

    CHECK_STR(pipeline_recording(p, &how)->elf, "/k/app.elf");
    CHECK_EQ(how, RECORDING_WHOLE);
    end();
}

static void play_until_left(struct guest_side *g)
{
    greet(g);
    say_samples(g, 10, 0);
    press_stop();
    CHECK_EQ(hear(g, WIRE_STOP, body), 0);
    CHECK_EQ(hear(g, WIRE_STOP, body), -1);
}

TEST(user_stops_it_in_order) /* catches: Ctrl-C that loses the profile */
{
    begin_with_user(play_until_left);
    /* the guest never answers STOP: it ends nevertheless, after a second */
    CHECK_EQ(run(), PIPELINE_STOPPED);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 10);
    CHECK(!pipeline_profile(p)->cores[0].account.complete);
    end();
}

static void play_stopped_twice(struct guest_side *g)
{
    greet(g);
    press_stop();
    CHECK_EQ(hear(g, WIRE_STOP, body), 0);
    (void)poll(NULL, 0, 600);
    press_stop();
    CHECK_EQ(hear(g, WIRE_STOP, body), -1);
}

static void play_leave_when_stopped(struct guest_side *g)
{
    greet(g);
    press_stop();
    CHECK_EQ(hear(g, WIRE_STOP, body), 0);
}

/* Catches: "the guest is gone" after STOP */
TEST(reason_of_the_end_is_the_first)
{
    begin_with_user(play_leave_when_stopped);
    CHECK_EQ(run(), PIPELINE_STOPPED);
    end();
}

TEST(second_stop_leaves_at_once) /* catches: a user who has to wait */
{
    begin_with_user(play_stopped_twice);
    CHECK_EQ(run(), PIPELINE_ABANDONED);
    end();
}

/* The guest's clock: 2 GHz, from the host's, and measured to 10 %: a busy host
 * may delay one of the PINGs by tens of the 750 ms that they take. */
static void play_without_clock(struct guest_side *g)
{
    say_hello(g, 1);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(hear(g, WIRE_PING, body), 10);
        wiregen_open(&g->w, WIRE_PONG);
        wiregen_field_bytes(&g->w, 1, body + 2, 8);
        wiregen_field(&g->w, 2, 2 * clock_ns(), 8);
        wiregen_close(&g->w);
        say(g);
    }
    CHECK_EQ(hear(g, WIRE_START, body), 16); /* rate and period */
    CHECK_MEM(body, "\x01\x04\xe8\x03\0\0\x04\x08", 8);
    uint64_t period = 0;

    for (int i = 7; i >= 0; i--)
        period = period << 8 | body[8 + i];
    CHECK(period > 1800000 && period < 2200000); /* 1000 Hz of 2 GHz */
    say_samples(g, 1, 0);
}

TEST(unknown_clock_is_measured) /* catches: a period of nonsense */
{
    config.rate_hz = 1000;
    begin(play_without_clock, 0);
    CHECK_EQ(run(), PIPELINE_SOURCE_END);
    const struct profile *profile = pipeline_profile(p);

    CHECK(profile->tsc_measured);
    CHECK(profile->tsc_hz > 1800000000 && profile->tsc_hz < 2200000000);
    CHECK_EQ(profile->cores[0].account.samples, 1);
    end();
}

/* All in one write, so that no reader finds less. */
static void say_one_way(struct guest_side *g)
{
    wiregen_hello(&g->w,
                  &(struct wiregen_hello){
                      .boot = 1, .cores = 1, .features = WIRE_FEATURE_ONE_WAY});
    say_samples(g, 7, 0);
}

static void play_one_way(struct guest_side *g)
{
    say_one_way(g);
    CHECK_EQ(hear(g, WIRE_START, body), -1); /* nothing is said to it */
}

TEST(one_way_channel_is_not_spoken_to) /* catches: START typed into a console */
{
    begin(play_one_way, 0);
    CHECK_EQ(run_for(0.2), PIPELINE_DURATION);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 7);
    end();
}

static void play_with_gap(struct guest_side *g)
{
    greet(g);
    say_samples(g, 3, 0);
    g->w.seq++;
    say_samples(g, 3, 5);
    CHECK_EQ(hear(g, WIRE_RESET, body), 0);
}

TEST(gap_makes_it_send_reset) /* catches: unknown stacks for ever */
{
    begin(play_with_gap, GHZ);
    CHECK_EQ(run(), PIPELINE_SOURCE_END);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.lost, 2);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.violations, 0);
    end();
}

static void play_reboot(struct guest_side *g)
{
    greet(g);
    say_samples(g, 3, 0);
    say_hello(g, 2);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
    say_samples(g, 4, 0);
}

TEST(rebooted_guest_is_started_again) /* catches: silence after a reboot */
{
    begin(play_reboot, GHZ);
    CHECK_EQ(run(), PIPELINE_SOURCE_END);
    CHECK_EQ(hellos, 2);
    CHECK(strstr(notes, "rebooted") != NULL);
    CHECK_EQ(pipeline_profile(p)->boots, 2);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 7);
    end();
}

static void play_other_image(struct guest_side *g)
{
    greet(g);
    say_samples(g, 3, 0);
    wiregen_hello(&g->w, &(struct wiregen_hello){
                             .boot = 2, .cores = 1, .text_start = 0x900000});
    say_samples(g, 4, 0);
    CHECK_EQ(hear(g, WIRE_START, body), -1);
}

/* Catches: two programs mixed */
TEST(reboot_into_another_image_ends_the_profile)
{
    begin(play_other_image, GHZ);
    CHECK_EQ(run(), PIPELINE_OTHER_IMAGE);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 3);
    end();
}

static void play_without_cores(struct guest_side *g)
{
    greet(g);
    say_status(g, WIRE_STATE_STOPPED, WIRE_REFUSED_NO_CORE);
    CHECK_EQ(hear(g, WIRE_START, body), 0); /* asked again */
    say_status(g, WIRE_STATE_SAMPLING, 0);
    say_samples(g, 2, 0);
}

TEST(refused_start_is_told_and_repeated) /* catches: giving up on a slow boot */
{
    begin(play_without_cores, GHZ);
    CHECK_EQ(run(), PIPELINE_SOURCE_END);
    CHECK(strstr(notes, "no core") != NULL);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 2);
    end();
}

static void play_silence(struct guest_side *g)
{
    char byte;

    (void)g; /* until the collector has said what it thinks of that */
    CHECK_EQ(read(stop_pipe[0], &byte, 1), 1);
}

TEST(silent_guest_is_explained) /* catches: a user who waits without a word */
{
    CHECK_EQ(pipe(stop_pipe), 0);
    begin(play_silence, 0);
    CHECK_EQ(run(), PIPELINE_SOURCE_END);
    CHECK(strstr(notes, "another client") != NULL);
    CHECK(strstr(notes, "tprof.0") != NULL);
    CHECK(!pipeline_profile(p)->has_guest);
    end();
}

TEST(absent_guest_is_waited_for) /* catches: an error where patience is due */
{
    make_dir();
    open_pipeline(source_serial(socket_path, &error));
    fflush(stdout);
    guest = fork();
    if (guest == 0) {
        usleep(300000); /* so that it is absent for a while */
        join_guest(start_guest(say_one_way, (struct guest_side){0}));
        _exit(0);
    }
    CHECK_EQ(run(), PIPELINE_SOURCE_END);
    CHECK(strstr(notes, "waiting for a guest at /tmp/test_pipeline") != NULL);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 7);
    end();
}

/* In the middle of a session */

static void play_two_sessions(struct guest_side *g)
{
    greet(g);
    say_samples(g, 10, 0);
    CHECK_EQ(hear(g, WIRE_START, body), 10);
    CHECK_MEM(body, "\x01\x04\xc8\0\0\0\x02\x02\x10\0", 10); /* 200, 16 */
    say_samples(g, 20, 10);
    CHECK_EQ(hear(g, WIRE_START, body), -1);
    close(g->fd);
    g->fd = accept(g->listener, NULL, NULL);
    CHECK(g->fd >= 0);
    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 10); /* the same again */
    say_samples(g, 5, 30);
}

/* Step the pipeline until it has had (samples), or has ended. */
static void step_until(uint64_t samples)
{
    static char buf[4096];
    int more = 1;

    while (more > 0 && pipeline_sums(p).samples < samples) {
        struct pipeline_poll wait = pipeline_wait(p);
        struct pollfd one = {.fd = wait.fd, .events = POLLIN};

        (void)poll(&one, 1, 10);
        more = pipeline_step(p, one.revents != 0, buf, sizeof buf, &error);
        CHECK(more >= 0);
    }
}

/* Catches: a recording without HELLO, which nothing can read */
TEST(recording_may_begin_while_sampling)
{
    begin(play_two_sessions, GHZ);
    enum pipeline_end reason;

    step_until(10);
    pipeline_ask(p, 200, 16);
    step_until(30);
    CHECK_EQ(pipeline_recorded(p), 0);
    CHECK_EQ(pipeline_record(p, record_path, &error), 0);
    step_until(UINT64_MAX);
    CHECK_EQ(pipeline_sums(p).samples, 35);
    CHECK(pipeline_recorded(p) > 0);
    CHECK_EQ(pipeline_record(p, NULL, &error), 0);
    CHECK_EQ(pipeline_close(p, &reason, &error), 0);

    replay();
    CHECK(pipeline_part(p) == 0);
    CHECK_EQ(run(), PIPELINE_SOURCE_END);
    CHECK_EQ(pipeline_sums(p).samples, 5);
    CHECK(pipeline_sums(p).seconds > 0);
    CHECK(pipeline_part(p) == 1);
    end();
}

static void play_last_words(struct guest_side *g)
{
    greet(g);
    say_samples(g, 10, 0);
    CHECK_EQ(hear(g, WIRE_STOP, body), 0);
    say_samples(g, 5, 10);
    CHECK_EQ(hear(g, WIRE_STOP, body), -1);
}

/* Catches: samples that came in time and are not read, since thousands of
 * guests end at once */
TEST(last_words_are_read_when_patience_ends)
{
    static char buf[4096];

    begin(play_last_words, GHZ);
    step_until(10);
    pipeline_stop(p, PIPELINE_STOPPED);
    CHECK_EQ(pipeline_step(p, false, buf, sizeof buf, &error), 1); /* STOP */
    for (int result = 1; result == 1;) { /* words that came earn more time */
        while (clock_ns() < pipeline_wait(p).due)
            (void)poll(NULL, 0, 10); /* others have their turn */
        result = pipeline_step(p, false, buf, sizeof buf, &error);
        CHECK(result == 0 || pipeline_sums(p).samples == 15);
    }
    CHECK_EQ(pipeline_sums(p).samples, 15);
    end();
}
