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

static struct err error;
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

static struct pipeline_config config_of(void)
{
    return (struct pipeline_config){.hello = hello, .note = note};
}

static struct pipeline *open_pipeline(const struct pipeline_config *config)
{
    struct source *source = source_serial(socket_path, &error);

    CHECK(source != NULL);
    struct pipeline *p = pipeline_new(source, config, &error);

    CHECK(p != NULL);
    return p;
}

/* Run (p) for (duration_s), 0: to its end, or until press_stop(). */
static enum pipeline_end run_for(struct pipeline *p, double duration_s)
{
    enum pipeline_end end;
    int result = run_alone(p, duration_s, stop_fd, &end, &error);

    if (result < 0)
        CHECK_STR(error.text, "");
    return end;
}

static enum pipeline_end run(struct pipeline *p)
{
    return run_for(p, 0);
}

static void play_in_order(struct guest_side *g)
{
    uint8_t body[64];

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
    make_dir();
    pid_t guest =
        start_guest(play_in_order, (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of();

    config.rate_hz = 4000;
    config.depth = 32;
    config.record_path = record_path;
    strcpy(config.info.elf, "/k/app.elf");
    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run_for(p, 0.2), PIPELINE_DURATION);
    const struct profile *profile = pipeline_profile(p);

    CHECK_EQ(hellos, 1);
    CHECK_STR(notes, "");
    CHECK_EQ(profile->cores[0].account.samples, 15);
    CHECK(profile->cores[0].account.complete);
    CHECK_EQ(profile->cores[0].total.samples, 15);
    CHECK(profile->wall_start > 1e9);
    CHECK(profile->arrival_s > 0 && profile->arrival_s < 60);
    CHECK_EQ(profile->health.frames, 6);
    pipeline_free(p);
    join_guest(guest);

    /* and the recording gives the same profile */
    struct source *source = source_replay(record_path, &error);

    config = config_of();
    p = pipeline_new(source, &config, &error);
    CHECK_EQ(run(p), PIPELINE_SOURCE_END);
    profile = pipeline_profile(p);
    CHECK_EQ(profile->cores[0].account.samples, 15);
    CHECK(profile->cores[0].account.complete);
    CHECK(profile->wall_start > 1e9);
    CHECK(profile->arrival_s > 0 && profile->arrival_s < 60);
    enum recording_end end;

    CHECK_STR(pipeline_recording(p, &end)->elf, "/k/app.elf");
    CHECK_EQ(end, RECORDING_WHOLE);
    pipeline_free(p);
    remove_dir();
}

static void play_until_left(struct guest_side *g)
{
    uint8_t body[64];

    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
    say_samples(g, 10, 0);
    press_stop();
    CHECK_EQ(hear(g, WIRE_STOP, body), 0);
    CHECK_EQ(hear(g, WIRE_STOP, body), -1);
}

TEST(user_stops_it_in_order) /* catches: Ctrl-C that loses the profile */
{
    make_dir();
    CHECK_EQ(pipe(stop_pipe), 0);
    stop_fd = stop_pipe[0];
    pid_t guest =
        start_guest(play_until_left, (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of();

    struct pipeline *p = open_pipeline(&config);

    /* the guest never answers STOP: it ends nevertheless, after a second */
    CHECK_EQ(run(p), PIPELINE_STOPPED);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 10);
    CHECK(!pipeline_profile(p)->cores[0].account.complete);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}

static void play_stopped_twice(struct guest_side *g)
{
    uint8_t body[64];

    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
    press_stop();
    CHECK_EQ(hear(g, WIRE_STOP, body), 0);
    (void)poll(NULL, 0, 600);
    press_stop();
    CHECK_EQ(hear(g, WIRE_STOP, body), -1);
}

static void play_leave_when_stopped(struct guest_side *g)
{
    uint8_t body[64];

    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
    press_stop();
    CHECK_EQ(hear(g, WIRE_STOP, body), 0);
}

/* Catches: "the guest is gone" after STOP */
TEST(reason_of_the_end_is_the_first)
{
    make_dir();
    CHECK_EQ(pipe(stop_pipe), 0);
    stop_fd = stop_pipe[0];
    pid_t guest = start_guest(play_leave_when_stopped,
                              (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of();

    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run(p), PIPELINE_STOPPED);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}

TEST(second_stop_leaves_at_once) /* catches: a user who has to wait */
{
    make_dir();
    CHECK_EQ(pipe(stop_pipe), 0);
    stop_fd = stop_pipe[0];
    pid_t guest = start_guest(play_stopped_twice,
                              (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of();

    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run(p), PIPELINE_ABANDONED);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}

/* The guest's clock: 2 GHz, from the host's, and measured to 10 %: a busy host
 * may delay one of the PINGs by tens of the 750 ms that they take. */
static void play_without_clock(struct guest_side *g)
{
    uint8_t body[64];

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
    make_dir();
    pid_t guest = start_guest(play_without_clock, (struct guest_side){0});
    struct pipeline_config config = config_of();

    config.rate_hz = 1000;
    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run(p), PIPELINE_SOURCE_END);
    const struct profile *profile = pipeline_profile(p);

    CHECK(profile->tsc_measured);
    CHECK(profile->tsc_hz > 1800000000 && profile->tsc_hz < 2200000000);
    CHECK_EQ(profile->cores[0].account.samples, 1);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
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
    uint8_t body[64];

    say_one_way(g);
    CHECK_EQ(hear(g, WIRE_START, body), -1); /* nothing is said to it */
}

TEST(one_way_channel_is_not_spoken_to) /* catches: START typed into a console */
{
    make_dir();
    pid_t guest = start_guest(play_one_way, (struct guest_side){0});
    struct pipeline_config config = config_of();
    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run_for(p, 0.2), PIPELINE_DURATION);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 7);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}

static void play_with_gap(struct guest_side *g)
{
    uint8_t body[64];

    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
    say_samples(g, 3, 0);
    g->w.seq++;
    say_samples(g, 3, 5);
    CHECK_EQ(hear(g, WIRE_RESET, body), 0);
}

TEST(gap_makes_it_send_reset) /* catches: unknown stacks for ever */
{
    make_dir();
    pid_t guest =
        start_guest(play_with_gap, (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of();
    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run(p), PIPELINE_SOURCE_END);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.lost, 2);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.violations, 0);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}

static void play_reboot(struct guest_side *g)
{
    uint8_t body[64];

    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
    say_samples(g, 3, 0);
    say_hello(g, 2);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
    say_samples(g, 4, 0);
}

TEST(rebooted_guest_is_started_again) /* catches: silence after a reboot */
{
    make_dir();
    pid_t guest =
        start_guest(play_reboot, (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of();
    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run(p), PIPELINE_SOURCE_END);
    CHECK_EQ(hellos, 2);
    CHECK(strstr(notes, "rebooted") != NULL);
    CHECK_EQ(pipeline_profile(p)->boots, 2);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 7);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}

static void play_other_image(struct guest_side *g)
{
    uint8_t body[64];

    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
    say_samples(g, 3, 0);
    wiregen_hello(&g->w, &(struct wiregen_hello){
                             .boot = 2, .cores = 1, .text_start = 0x900000});
    say_samples(g, 4, 0);
    CHECK_EQ(hear(g, WIRE_START, body), -1);
}

/* Catches: two programs mixed */
TEST(reboot_into_another_image_ends_the_profile)
{
    make_dir();
    pid_t guest = start_guest(play_other_image,
                              (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of();
    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run(p), PIPELINE_OTHER_IMAGE);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 3);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}

static void play_without_cores(struct guest_side *g)
{
    uint8_t body[64];

    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
    say_status(g, WIRE_STATE_STOPPED, WIRE_REFUSED_NO_CORE);
    CHECK_EQ(hear(g, WIRE_START, body), 0); /* asked again */
    say_status(g, WIRE_STATE_SAMPLING, 0);
    say_samples(g, 2, 0);
}

TEST(refused_start_is_told_and_repeated) /* catches: giving up on a slow boot */
{
    make_dir();
    pid_t guest = start_guest(play_without_cores,
                              (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of();
    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run(p), PIPELINE_SOURCE_END);
    CHECK(strstr(notes, "no core") != NULL);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 2);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}

static void play_silence(struct guest_side *g)
{
    char byte;

    (void)g; /* until the collector has said what it thinks of that */
    CHECK_EQ(read(stop_pipe[0], &byte, 1), 1);
}

TEST(silent_guest_is_explained) /* catches: a user who waits without a word */
{
    make_dir();
    CHECK_EQ(pipe(stop_pipe), 0);
    pid_t guest = start_guest(play_silence, (struct guest_side){0});
    struct pipeline_config config = config_of();
    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run(p), PIPELINE_SOURCE_END);
    CHECK(strstr(notes, "another client") != NULL);
    CHECK(strstr(notes, "tprof.0") != NULL);
    CHECK(!pipeline_profile(p)->has_guest);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}

TEST(absent_guest_is_waited_for) /* catches: an error where patience is due */
{
    make_dir();
    struct pipeline_config config = config_of();
    struct pipeline *p = open_pipeline(&config);

    fflush(stdout);
    pid_t later = fork();

    if (later == 0) {
        usleep(300000); /* so that it is absent for a while */
        join_guest(start_guest(say_one_way, (struct guest_side){0}));
        _exit(0);
    }
    CHECK_EQ(run(p), PIPELINE_SOURCE_END);
    CHECK(strstr(notes, "waiting for a guest at /tmp/test_pipeline") != NULL);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 7);
    pipeline_free(p);
    join_guest(later);
    remove_dir();
}

/* In the middle of a session */

static void play_two_sessions(struct guest_side *g)
{
    uint8_t body[64];

    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
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

/* Step (p) until it has had (samples), or has ended. */
static void step_until(struct pipeline *p, uint64_t samples)
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
    make_dir();
    pid_t guest = start_guest(play_two_sessions,
                              (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of();
    struct pipeline *p = open_pipeline(&config);
    enum pipeline_end end;

    step_until(p, 10);
    pipeline_ask(p, 200, 16);
    step_until(p, 30);
    CHECK_EQ(pipeline_recorded(p), 0);
    CHECK_EQ(pipeline_record(p, record_path, &error), 0);
    step_until(p, UINT64_MAX);
    CHECK_EQ(pipeline_sums(p).samples, 35);
    CHECK(pipeline_recorded(p) > 0);
    CHECK_EQ(pipeline_record(p, NULL, &error), 0);
    CHECK_EQ(pipeline_close(p, &end, &error), 0);
    pipeline_free(p);
    join_guest(guest);

    p = pipeline_new(source_replay(record_path, &error), &config, &error);
    CHECK(p != NULL && pipeline_part(p) == 0);
    CHECK_EQ(run(p), PIPELINE_SOURCE_END);
    CHECK_EQ(pipeline_sums(p).samples, 5);
    CHECK(pipeline_sums(p).seconds > 0);
    CHECK(pipeline_part(p) == 1);
    pipeline_free(p);
    remove_dir();
}

static void play_last_words(struct guest_side *g)
{
    uint8_t body[64];

    say_hello(g, 1);
    CHECK_EQ(hear(g, WIRE_START, body), 0);
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

    make_dir();
    pid_t guest =
        start_guest(play_last_words, (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of();
    struct pipeline *p = open_pipeline(&config);

    step_until(p, 10);
    pipeline_stop(p, PIPELINE_STOPPED);
    CHECK_EQ(pipeline_step(p, false, buf, sizeof buf, &error), 1); /* STOP */
    for (int result = 1; result == 1;) { /* words that came earn more time */
        while (clock_ns() < pipeline_wait(p).due)
            (void)poll(NULL, 0, 10); /* others have their turn */
        result = pipeline_step(p, false, buf, sizeof buf, &error);
        CHECK(result == 0 || pipeline_sums(p).samples == 15);
    }
    CHECK_EQ(pipeline_sums(p).samples, 15);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}
