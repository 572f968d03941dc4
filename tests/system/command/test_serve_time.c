/* SPDX-License-Identifier: BSD-2-Clause */
/* collector serve where the clock is set, and how long a window waits for the
 * disk. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "shim_time.h"

#define DAY_MS 86400000ll
#define HURRY  10 /* so that 15 s are 1.5 */

static struct shim_time *shared;

static void share(void)
{
    enter_dir();
    int fd = open("shared", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    CHECK(fd >= 0 && ftruncate(fd, sizeof *shared) == 0);
    shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(shared != MAP_FAILED);
    CHECK_EQ(mkdir("run", 0700), 0);
    CHECK_EQ(setenv("SHIM_TIME", "shared", 1), 0);
}

static pid_t start_shimmed(const char *line)
{
    CHECK_EQ(setenv("LD_PRELOAD", SHIM, 1), 0);
    pid_t pid = start_collector(line);

    CHECK_EQ(unsetenv("LD_PRELOAD"), 0);
    return pid;
}

static unsigned windows(void)
{
    DIR *folder = opendir("spool");
    const struct dirent *entry;
    unsigned count = 0;

    while (folder != NULL && (entry = readdir(folder)) != NULL)
        count += strstr(entry->d_name, ".tprof") != NULL;
    if (folder != NULL)
        (void)closedir(folder);
    return count;
}

static void nap(void)
{
    const struct timespec t = {.tv_nsec = 20000000};

    nanosleep(&t, NULL);
}

/* Samples for as long as somebody wants them. */
static void play_on(int listener)
{
    int fd = meet(listener);
    uint64_t sent = 50;

    CHECK(freopen("/dev/null", "w", stderr) != NULL);
    begin_session(fd, 1, NULL, 50);
    for (;; sent += 10) {
        say_samples(fd, 10, sent);
        for (unsigned i = 0; i < 5; i++)
            nap();
    }
}

static void wait_for_windows(unsigned more)
{
    unsigned had = windows();

    while (windows() < had + more) /* the case has a time limit */
        nap();
}

/* catches: a step that nobody hears of, and one that costs all windows */
TEST(a_clock_that_is_set_is_told_and_costs_nothing)
{
    share();
    pid_t guest = start_guest("run/one", play_on);
    pid_t serve = start_shimmed("serve --watch run --spool spool --window 1s");

    wait_for_windows(2);
    shared->ahead_ms = 8 * DAY_MS;
    wait_for_windows(2);
    shared->ahead_ms = 0;
    wait_for_windows(2);
    CHECK(windows() >= 6);
    CHECK_EQ(end_collector(serve), 0);
    (void)kill(guest, SIGKILL);
    CHECK_EQ(occurrences("err", "the clock was set"), 2);
    CHECK_CONTAINS("err", "collector serve: the clock was set 8.0 days "
                          "forward: no window is removed for its age");
}

/* catches: windows that are in memory alone, for longer than half a minute */
TEST(a_window_is_on_the_disk_in_half_a_minute)
{
    share();
    shared->hurry = HURRY;
    pid_t guest = start_guest("run/one", play_on);
    pid_t serve = start_shimmed("serve --watch run --spool spool --window 1s");

    for (unsigned i = 0; i < 3; i++) {
        struct timespec from, to;

        wait_for_windows(1);
        uint32_t had = shared->settled;

        (void)clock_gettime(CLOCK_MONOTONIC, &from);
        while (shared->settled == had) /* likewise */
            nap();
        (void)clock_gettime(CLOCK_MONOTONIC, &to);
        CHECK(to.tv_sec - from.tv_sec <= 30 / HURRY);
    }
    CHECK_EQ(end_collector(serve), 0);
    (void)kill(guest, SIGKILL);
}
