/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --memory of collector serve: guests beyond the limit wait, all others are
 * sampled. Child processes play the guests.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

/*
 * The manual: 8 KiB for the core, 16 KiB for stacks, and at this rate 256 KiB
 * for samples, so 16 MiB have room for at most 58 guests. A thirty-second is
 * kept for guests that grow, so at least 55 come in.
 */
#define RATE   "--rate 997"
#define GUESTS 64
#define LEAST  55
#define MOST   58

#define LARGE 50u /* cores of a large guest */

static void rest(void)
{
    const struct timespec t = {0, 20000000};

    (void)nanosleep(&t, NULL);
}

static const char *sign_of(const char *what, int guest)
{
    static char name[32];

    (void)snprintf(name, sizeof name, "%s_%d", what, guest);
    return name;
}

/* write_text() has one temporary name for all. */
static void make_sign(const char *what, int guest)
{
    int fd = open(sign_of(what, guest), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    CHECK_EQ(close(fd), 0);
}

static int signs(const char *what)
{
    int n = 0;

    for (int i = 0; i < GUESTS; i++)
        n += access(sign_of(what, i), F_OK) == 0;
    return n;
}

static int number_of(int listener)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t size = sizeof name;
    int number = -1;

    CHECK_EQ(getsockname(listener, (struct sockaddr *)&name, &size), 0);
    CHECK_EQ(sscanf(name.sun_path, "run/%d", &number), 1);
    return number;
}

/* Come again until samples are asked for. */
static int insist(int listener, uint16_t cores, int guest)
{
    for (;;) {
        int fd = meet(listener);

        wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                     .cores = cores,
                                                     .tsc_hz = 1000000000,
                                                     .text_start = 0x400000});
        say(fd);
        if (hear(fd))
            return fd;
        make_sign("refused", guest);
        (void)close(fd);
    }
}

static void play_small(int listener)
{
    int guest = number_of(listener);
    int fd = insist(listener, 1, guest);

    say_samples(fd, 50, 0);
    make_sign("sent", guest);
    end_session(fd, 50);
}

static void start_small(pid_t *guests)
{
    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    for (int i = 0; i < GUESTS; i++) {
        char path[16];

        (void)snprintf(path, sizeof path, "run/%d", i);
        guests[i] = start_guest(path, play_small);
    }
}

static void end_all(pid_t serve, const pid_t *guests, int count)
{
    CHECK_EQ(end_collector(serve), 0);
    for (int i = 0; i < count; i++) {
        if (access(sign_of("sent", i), F_OK) == 0) {
            join_guest(guests[i]);
            continue;
        }
        CHECK_EQ(kill(guests[i], SIGKILL), 0); /* it waits for ever */
        CHECK_EQ(waitpid(guests[i], NULL, 0), guests[i]);
    }
}

/* Wait until each guest was sampled or refused. */
static void wait_for_all(void)
{
    for (int i = 0; i < 1000 && signs("sent") + signs("refused") < GUESTS; i++)
        rest();
}

/* Catches: memory that grows with the guests, whatever --memory says; guests
 * that are refused though there is room; a guest that gets none for ever. */
TEST(only_guests_beyond_the_memory_wait)
{
    pid_t guests[GUESTS];
    int sampled, waits = 0;
    char line[64];

    start_small(guests);
    pid_t serve = start_collector("serve --watch run --spool spool " RATE
                                  " --memory 16M");

    wait_for_all();
    sampled = signs("sent");
    CHECK(sampled >= LEAST && sampled <= MOST);
    CHECK_EQ(signs("refused"), GUESTS - sampled);
    while (access(sign_of("sent", waits), F_OK) == 0)
        waits++;
    CHECK_CONTAINS("err", "this guest waits, because other guests use all of "
                          "--memory: there is room with --memory 32M");
    (void)snprintf(line, sizeof line, "run/%d", waits == 0 ? 1 : 0);
    CHECK_EQ(unlink(line), 0);
    for (int i = 0; i < 1000 && signs("sent") == sampled; i++)
        rest();
    CHECK_EQ(signs("sent"), sampled + 1);
    end_all(serve, guests, GUESTS);
    (void)snprintf(line, sizeof line,
                   "collector serve: %d,%03d samples, 0 lost",
                   (sampled + 1) * 50 / 1000, (sampled + 1) * 50 % 1000);
    CHECK_CONTAINS("err", line);
}

TEST(the_memory_that_a_refusal_names_suffices) /* catches: too little */
{
    pid_t guests[GUESTS];

    start_small(guests);
    pid_t serve = start_collector("serve --watch run --spool spool " RATE
                                  " --memory 32M");

    wait_for_all();
    end_all(serve, guests, GUESTS);
    CHECK_EQ(signs("sent"), GUESTS);
    CHECK_EQ(signs("refused"), 0);
}

#define LARGE_GUESTS 5

/* A guest that sends early may take the memory that a later guest needs in
 * order to come in. So each guest sends when all have come in. Stacks with the
 * highest number on each core make each dictionary take 64 KiB, 3,200 KiB in
 * all. */
static void play_large(int listener)
{
    int guest = number_of(listener);
    int fd = insist(listener, LARGE, guest);

    make_sign("came", guest);
    while (signs("came") < LARGE_GUESTS) /* until the alarm of start_guest() */
        rest();
    for (uint16_t core = 0; core < LARGE; core++) {
        struct wiregen_samples s = {
            .core = core, .shift = 4, .period = 8000, .epoch = 1};

        wiregen_samples_begin(&wire, &s);
        wiregen_stack(&wire, &(struct wiregen_stack){.id = 8190});
        wiregen_short(&wire, 8190, 8000, 0x100, 0);
        wiregen_samples_end(&wire, (uint64_t[4]){1, 0, 0, 0});
    }
    say(fd);
    make_sign("sent", guest);
    while (hear(fd))
        ;
}

/* Five of them take 800 KiB each when they come, and 4,000 KiB when all
 * have sent. Catches:
 * memory that is charged at HELLO alone. */
TEST(a_guest_that_grows_beyond_the_memory_waits)
{
    pid_t guests[LARGE_GUESTS];

    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    write_text("err", "");
    for (int i = 0; i < LARGE_GUESTS; i++)
        guests[i] = start_guest(
            (const char[]){'r', 'u', 'n', '/', (char)('0' + i), 0}, play_large);
    pid_t serve =
        start_collector("serve --watch run --spool spool --memory 16M");

    for (int i = 0; i < 1000 && (!contains("err", "this guest waits") ||
                                 signs("sent") < LARGE_GUESTS);
         i++)
        rest();
    CHECK_EQ(signs("sent"), LARGE_GUESTS);
    CHECK_CONTAINS("err", "this guest waits");
    end_all(serve, guests, LARGE_GUESTS);
}

static void play_at_once(int listener)
{
    int fd = insist(listener, 1, 0);

    say_samples(fd, 500, 0);
    say_samples(fd, 500, 500);
    make_sign("sent", 0);
    end_session(fd, 1000);
}

/* A window of a second begins with room for 341 samples. Catches: memory that
 * comes after the samples that need it. */
TEST(many_samples_at_once_have_room)
{
    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t guest = start_guest("run/0", play_at_once);
    pid_t serve =
        start_collector("serve --watch run --spool spool --window 1s");

    for (int i = 0; i < 1000 && signs("sent") == 0; i++)
        rest();
    end_all(serve, &guest, 1);
    CHECK_CONTAINS("err", "samples, 0 lost");
    (void)collector("report --spool spool --guest 0 --format txt");
    CHECK_STR(text_of("err"), "");
    CHECK_CONTAINS("out", "1,000 samples of 1 core");
    CHECK_CONTAINS("out", " none lost,");
}
