/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conversation with a guest: a child process plays one on a Unix socket,
 * with frames of wiregen, and checks what the collector sends.
 */
#include "check.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline.h"
#include "tprof_wire.h"
#include "wiregen.h"

#define TEXT 0x400000u

static char dir[] = "/tmp/test_pipeline.XXXXXX";
static char socket_path[64], record_path[64];
static struct err error;
static char notes[4096];
static int hellos;

/* The guest's side */

struct guest_side {
    int listener, fd;
    struct wiregen w;
    uint64_t tsc_hz;
    uint32_t features;
    uint16_t expected_seq;
};

static void make_dir(void)
{
    CHECK(mkdtemp(dir) != NULL);
    snprintf(socket_path, sizeof socket_path, "%s/port", dir);
    snprintf(record_path, sizeof record_path, "%s/x.tprof", dir);
}

static void remove_dir(void)
{
    unlink(socket_path);
    unlink(record_path);
    rmdir(dir);
}

static int listen_there(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    strcpy(address.sun_path, socket_path);
    CHECK_EQ(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_EQ(listen(fd, 1), 0);
    return fd;
}

static void say(struct guest_side *g)
{
    CHECK_EQ(write(g->fd, g->w.bytes, g->w.size), (ssize_t)g->w.size);
    g->w.size = 0;
}

static void say_hello(struct guest_side *g, uint8_t boot)
{
    wiregen_hello(&g->w, &(struct wiregen_hello){.boot = boot,
                                                 .cores = 1,
                                                 .tsc_hz = g->tsc_hz,
                                                 .features = g->features,
                                                 .text_start = TEXT});
    say(g);
    g->expected_seq = 0;
}

static void say_samples(struct guest_side *g, uint64_t n, uint64_t before)
{
    wiregen_samples_begin(
        &g->w, &(struct wiregen_samples){
                   .shift = 4, .period = 8000, .epoch = 1, .time = 1000});
    wiregen_stack(&g->w, &(struct wiregen_stack){.id = 1});
    for (uint64_t i = 0; i < n; i++)
        wiregen_short(&g->w, 1, 8000, 0x100, 0);
    wiregen_samples_end(&g->w, (uint64_t[4]){before + n, 0, 0, 0});
    say(g);
}

static void say_status(struct guest_side *g, uint8_t state, uint8_t refusal)
{
    wiregen_open(&g->w, WIRE_STATUS);
    wiregen_field(&g->w, WIRE_CONTROL_STATE, state, 1);
    wiregen_field(&g->w, WIRE_CONTROL_ERROR, refusal, 1);
    wiregen_close(&g->w);
    say(g);
}

/* Wait for a frame of (type); its body goes to (body). Returns its length;
 * -1 if the collector left. */
static int hear(struct guest_side *g, uint8_t type, uint8_t *body)
{
    uint8_t frame[64];

    if (recv(g->fd, frame, 8, MSG_WAITALL) != 8)
        return -1;
    CHECK_MEM(frame, "\x54\x9d", 2);
    CHECK_EQ(frame[2], type);
    CHECK_EQ(frame[4] | frame[5] << 8, g->expected_seq);
    g->expected_seq++;
    int length = frame[6];

    CHECK_EQ(recv(g->fd, frame + 8, (size_t)length + 4, MSG_WAITALL),
             length + 4);
    uint32_t crc = wiregen_crc(frame, 8 + (size_t)length);

    CHECK_MEM(frame + 8 + length, &crc, 4);
    memcpy(body, frame + 8, (size_t)length);
    return length;
}

/* Start (play) as the guest. It is listening when this returns. */
static pid_t start_guest(void (*play)(struct guest_side *),
                         struct guest_side side)
{
    side.listener = listen_there();
    fflush(stdout);
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        alarm(30);
        side.fd = accept(side.listener, NULL, NULL);
        CHECK(side.fd >= 0);
        play(&side);
        wiregen_fini(&side.w);
        _exit(0);
    }
    close(side.listener);
    return pid;
}

static void join_guest(pid_t pid)
{
    int status;

    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}

/* The collector's side */

static void note(void *context, const char *line)
{
    (void)context;
    strncat(notes, line, sizeof notes - strlen(notes) - 2);
    strcat(notes, "\n");
}

static int hello(void *context, const struct guest *g, struct err *e)
{
    (void)context;
    hellos++;
    return g->cores == 1 ? 0 : err_set(e, "wrong guest");
}

static struct pipeline_config config_of(double duration_s)
{
    return (struct pipeline_config){
        .stop_fd = -1, .duration_s = duration_s, .hello = hello, .note = note};
}

static struct pipeline *open_pipeline(const struct pipeline_config *config)
{
    struct source *source = source_serial(socket_path, &error);

    CHECK(source != NULL);
    struct pipeline *p = pipeline_new(source, config, &error);

    CHECK(p != NULL);
    return p;
}

static enum pipeline_end run(struct pipeline *p)
{
    enum pipeline_end end;
    int result = pipeline_run(p, &end, &error);

    if (result < 0)
        CHECK_STR(error.text, "");
    return end;
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

TEST(
    whole_session_in_order) /* catches: START, STOP or the last STATS missing */
{
    make_dir();
    pid_t guest =
        start_guest(play_in_order, (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of(0.2);

    config.rate_hz = 4000;
    config.depth = 32;
    config.record_path = record_path;
    strcpy(config.info.elf, "/k/app.elf");
    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run(p), PIPELINE_DURATION);
    const struct profile *profile = pipeline_profile(p);

    CHECK_EQ(hellos, 1);
    CHECK_STR(notes, "");
    CHECK_EQ(profile->cores[0].account.samples, 15);
    CHECK(profile->cores[0].account.complete);
    CHECK_EQ(profile->cores[0].total.samples, 15);
    CHECK(profile->wall_start > 1e9);
    CHECK_EQ(profile->health.frames, 6);
    pipeline_free(p);
    join_guest(guest);

    /* and the recording gives the same profile */
    struct source *source = source_replay(record_path, &error);

    config = config_of(0);
    p = pipeline_new(source, &config, &error);
    CHECK_EQ(run(p), PIPELINE_SOURCE_END);
    profile = pipeline_profile(p);
    CHECK_EQ(profile->cores[0].account.samples, 15);
    CHECK(profile->cores[0].account.complete);
    CHECK(profile->wall_start > 1e9);
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
    CHECK_EQ(hear(g, WIRE_STOP, body), 0);
    CHECK_EQ(hear(g, WIRE_STOP, body), -1);
}

TEST(user_stops_it_in_order) /* catches: Ctrl-C that loses the profile */
{
    int stop[2];

    make_dir();
    pid_t guest =
        start_guest(play_until_left, (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of(0);

    CHECK_EQ(pipe(stop), 0);
    config.stop_fd = stop[0];
    fflush(stdout);
    pid_t user = fork();

    if (user == 0) {
        usleep(200000);
        _exit(write(stop[1], "", 1) == 1 ? 0 : 1);
    }
    struct pipeline *p = open_pipeline(&config);

    /* the guest never answers STOP: it ends nevertheless, after a second */
    CHECK_EQ(run(p), PIPELINE_STOPPED);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 10);
    CHECK(!pipeline_profile(p)->cores[0].account.complete);
    pipeline_free(p);
    join_guest(user);
    join_guest(guest);
    remove_dir();
}

TEST(second_stop_leaves_at_once) /* catches: a user who has to wait */
{
    int stop[2];

    make_dir();
    pid_t guest =
        start_guest(play_until_left, (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of(0);

    CHECK_EQ(pipe(stop), 0);
    config.stop_fd = stop[0];
    fflush(stdout);
    pid_t user = fork();

    if (user == 0) {
        for (int i = 0; i < 2; i++) {
            usleep(200000);
            if (write(stop[1], "", 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    struct pipeline *p = open_pipeline(&config);
    uint64_t start = source_now_ns();

    CHECK_EQ(run(p), PIPELINE_ABANDONED);
    CHECK(source_now_ns() - start < 1000000000);
    pipeline_free(p);
    join_guest(user);
    join_guest(guest);
    remove_dir();
}

/* The guest's clock: 2 GHz, from the host's. */
static void play_without_clock(struct guest_side *g)
{
    uint8_t body[64];

    say_hello(g, 1);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(hear(g, WIRE_PING, body), 10);
        wiregen_open(&g->w, WIRE_PONG);
        wiregen_field_bytes(&g->w, 1, body + 2, 8);
        wiregen_field(&g->w, 2, 2 * source_now_ns(), 8);
        wiregen_close(&g->w);
        say(g);
    }
    CHECK_EQ(hear(g, WIRE_START, body), 16); /* rate and period */
    CHECK_MEM(body, "\x01\x04\xe8\x03\0\0\x04\x08", 8);
    uint64_t period = 0;

    for (int i = 7; i >= 0; i--)
        period = period << 8 | body[8 + i];
    CHECK(period > 1980000 && period < 2020000); /* 1000 Hz of 2 GHz */
    say_samples(g, 1, 0);
}

TEST(unknown_clock_is_measured) /* catches: a period of nonsense */
{
    make_dir();
    pid_t guest = start_guest(play_without_clock, (struct guest_side){0});
    struct pipeline_config config = config_of(0);

    config.rate_hz = 1000;
    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run(p), PIPELINE_SOURCE_END);
    const struct profile *profile = pipeline_profile(p);

    CHECK(profile->tsc_measured);
    CHECK(profile->tsc_hz > 1980000000 && profile->tsc_hz < 2020000000);
    CHECK_EQ(profile->cores[0].account.samples, 1);
    pipeline_free(p);
    join_guest(guest);
    remove_dir();
}

static void play_one_way(struct guest_side *g)
{
    uint8_t body[64];

    say_hello(g, 1);
    say_samples(g, 7, 0);
    CHECK_EQ(hear(g, WIRE_START, body), -1); /* nothing is said to it */
}

TEST(one_way_channel_is_not_spoken_to) /* catches: START typed into a console */
{
    make_dir();
    pid_t guest = start_guest(
        play_one_way, (struct guest_side){.features = WIRE_FEATURE_ONE_WAY});
    struct pipeline_config config = config_of(0.2);
    struct pipeline *p = open_pipeline(&config);

    CHECK_EQ(run(p), PIPELINE_DURATION);
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
    struct pipeline_config config = config_of(0);
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
    struct pipeline_config config = config_of(0);
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

TEST(reboot_into_another_image_ends_the_profile) /* catches: two programs mixed
                                                  */
{
    make_dir();
    pid_t guest = start_guest(play_other_image,
                              (struct guest_side){.tsc_hz = 1000000000});
    struct pipeline_config config = config_of(0);
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
    struct pipeline_config config = config_of(0);
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
    usleep(2300000); /* longer than the collector's patience */
    close(g->fd);
}

TEST(silent_guest_is_explained) /* catches: a user who waits without a word */
{
    make_dir();
    pid_t guest = start_guest(play_silence, (struct guest_side){0});
    struct pipeline_config config = config_of(0);
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
    struct pipeline_config config = config_of(0);
    struct pipeline *p = open_pipeline(&config);

    fflush(stdout);
    pid_t later = fork();

    if (later == 0) {
        usleep(300000);
        pid_t guest =
            start_guest(play_one_way,
                        (struct guest_side){.features = WIRE_FEATURE_ONE_WAY});

        usleep(300000);
        kill(guest, SIGKILL);
        _exit(0);
    }
    CHECK_EQ(run(p), PIPELINE_SOURCE_END);
    CHECK(strstr(notes, "waiting for a guest at /tmp/test_pipeline") != NULL);
    CHECK_EQ(pipeline_profile(p)->cores[0].account.samples, 7);
    pipeline_free(p);
    join_guest(later);
    remove_dir();
}

TEST(wrong_guest_fails_with_its_reason) /* catches: profiles of a wrong ELF */
{
    struct wiregen w = {0};
    enum pipeline_end end;

    make_dir();
    wiregen_hello(&w, &(struct wiregen_hello){.boot = 1, .cores = 2});
    FILE *f = fopen(record_path, "wb");

    CHECK_EQ(fwrite(w.bytes, 1, w.size, f), w.size);
    fclose(f);
    struct pipeline_config config = config_of(0);
    struct pipeline *p =
        pipeline_new(source_replay(record_path, &error), &config, &error);

    CHECK_EQ(pipeline_run(p, &end, &error), -1);
    CHECK_STR(error.text, "wrong guest");
    CHECK_EQ(pipeline_profile(p)->health.frames, 1);
    pipeline_free(p);
    wiregen_fini(&w);
    remove_dir();
}

TEST(missing_file_is_an_error) /* catches: waiting for a recording to appear */
{
    enum pipeline_end end;
    struct pipeline_config config = config_of(0);
    struct pipeline *p =
        pipeline_new(source_replay("/nonexistent", &error), &config, &error);

    CHECK_EQ(pipeline_run(p, &end, &error), -1);
    CHECK(strstr(error.text, "/nonexistent: No such file") != NULL);
    pipeline_free(p);
}

TEST(pty_is_read_raw) /* catches: a terminal that edits what passes */
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    struct wiregen w = {0};

    CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    struct source *source = source_serial(ptsname(master), &error);

    CHECK(source != NULL);
    CHECK_EQ(source->ops->open(source, &error), SOURCE_OPEN);
    for (unsigned i = 0; i < 256; i++)
        wiregen_uint(&w, i, 1);
    CHECK_EQ(write(master, w.bytes, w.size), 256);
    uint8_t got[256];
    uint64_t arrival;
    ssize_t n = 0;

    while (n < 256) {
        struct pollfd fd = {.fd = source->fd, .events = POLLIN};

        CHECK_EQ(poll(&fd, 1, 5000), 1);
        ssize_t some = source->ops->read(
            source, got + n, sizeof got - (size_t)n, &arrival, &error);
        CHECK(some > 0);
        n += some;
    }
    CHECK_MEM(got, w.bytes, 256);
    CHECK_EQ(source->ops->write(source, "\x03\x04\n", 3, &error), 3);
    CHECK_EQ(read(master, got, 3), 3);
    CHECK_MEM(got, "\x03\x04\n", 3);
    close(master);
    CHECK_EQ(source->ops->read(source, got, 256, &arrival, &error), SOURCE_END);
    source_close(source);
    wiregen_fini(&w);
}

TEST(serial_refuses_what_is_no_port) /* catches: reading a directory for ever */
{
    struct source *source = source_serial("/tmp", &error);

    CHECK_EQ(source->ops->open(source, &error), SOURCE_FAILED);
    CHECK(strstr(error.text, "neither a socket nor a terminal") != NULL);
    source_close(source);
    source = source_serial("/dev/null", &error);
    CHECK_EQ(source->ops->open(source, &error), SOURCE_FAILED);
    CHECK(strstr(error.text, "not a terminal") != NULL);
    source_close(source);
    char path[200];

    memset(path, 'x', sizeof path);
    path[0] = '/';
    path[199] = '\0';
    CHECK(source_serial(path, &error) == NULL);
}
