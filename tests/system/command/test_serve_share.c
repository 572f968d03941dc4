/* SPDX-License-Identifier: BSD-2-Clause */
/* collector serve: a guest that fills the spool has its own windows removed. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

#define LIMIT (400 << 10) /* bytes of the spool */

static void nap(long ms)
{
    const struct timespec t = {.tv_nsec = ms * 1000000};

    nanosleep(&t, NULL);
}

/* A few samples now and then, until nobody wants them. */
static void play_quiet(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    CHECK(freopen("/dev/null", "w", stdout) != NULL);
    for (uint64_t sent = 50;; sent += 10, nap(100))
        say_samples(fd, 10, sent);
}

/* (count) samples at places that nobody can foresee. */
static void say_random(int fd, uint64_t before, unsigned count)
{
    wiregen_samples_begin(
        &wire, &(struct wiregen_samples){
                   .shift = 11, .period = 4882, .epoch = 1, .time = before});
    for (unsigned i = 0; i < count; i++)
        wiregen_long_sample(
            &wire, &(struct wiregen_long){
                       .dt = 1, .id = 1, .leaf = random(), .weight = 1});
    wiregen_samples_end(&wire, (uint64_t[4]){before + count});
    say(fd);
}

static void play_loud(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 2, NULL, 50);
    CHECK(freopen("/dev/null", "w", stdout) != NULL);
    for (uint64_t sent = 50;; sent += 200, nap(5))
        say_random(fd, sent, 200);
}

/* Windows of (guest) that are there, and their bytes. */
static unsigned windows(const char *guest, long *bytes)
{
    DIR *folder = opendir("spool");
    const struct dirent *entry;
    char path[300];
    unsigned count = 0;
    struct stat st;

    *bytes = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (strncmp(entry->d_name, guest, strlen(guest)) != 0)
            continue;
        (void)snprintf(path, sizeof path, "spool/%.255s", entry->d_name);
        if (stat(path, &st) == 0)
            *bytes += st.st_size;
        count++;
    }
    if (folder != NULL)
        (void)closedir(folder);
    return count;
}

/* catches: the oldest windows of anybody, which go for those of one */
TEST(a_loud_guest_removes_its_own_windows)
{
    char line[128];
    unsigned seen = 0, most = 0;
    long quiet, loud;

    enter_dir();
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t one = start_guest("run/quiet", play_quiet);
    pid_t two = start_guest("run/loud", play_loud);

    (void)snprintf(
        line, sizeof line,
        "serve --watch run --spool spool --window 1s --spool-size %d", LIMIT);
    pid_t serve = start_collector(line);

    while (most < 6) { /* the case has a time limit */
        nap(50);
        seen = windows("quiet.", &quiet);
        CHECK(seen >= most); /* none goes */
        most = seen;
    }
    CHECK_EQ(end_collector(serve), 0);
    (void)kill(one, SIGKILL);
    (void)kill(two, SIGKILL);
    unsigned there = windows("quiet.", &quiet) + windows("loud.", &loud);
    const char *kept = strstr(text_of("err"), " windows kept");

    while (kept != NULL && kept[-1] >= '0' && kept[-1] <= '9')
        kept--;
    CHECK(there >= 7 && loud > 0 && loud + quiet <= LIMIT);
    CHECK(kept != NULL && strtoul(kept, NULL, 10) > there);
}
