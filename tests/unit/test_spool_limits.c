/* SPDX-License-Identifier: BSD-2-Clause */
/* Which windows go: by size, by age, by a clock that is set, and where the disk
 * is full. */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "recording/spool/spool.h"

#define SECOND 1000u /* in milliseconds */
#define HOUR   (3600u * SECOND)
#define DAY    (24LL * HOUR)
#define BEGIN  1764000000000LL /* 2025-11-24T16:00:00Z */

static struct err error;
static char lines[4096]; /* that were said */

/* The clock, and the time since the start of the machine. */
static long long wall_ms = BEGIN, up_ms = 5 * DAY;

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    long long ms = clock == CLOCK_REALTIME ? wall_ms : up_ms;

    t->tv_sec = ms / 1000;
    t->tv_nsec = ms % 1000 * 1000000;
    return 0;
}

static void pass(long long ms)
{
    wall_ms += ms;
    up_ms += ms;
}

static void hear(void *context, const char *line)
{
    size_t used = strlen(lines);

    (void)context;
    (void)snprintf(lines + used, sizeof lines - used, "%s\n", line);
}

static unsigned count_lines(void)
{
    unsigned count = 0;

    for (const char *c = lines; *c != '\0'; c++)
        count += *c == '\n';
    return count;
}

static struct spool *open_spool(uint64_t bytes, uint64_t age_s)
{
    static char path[] = "/tmp/test_spool_limits.XXXXXX";
    const struct spool_limits limits = {
        .bytes = bytes, .age_s = age_s, .window_ms = 10 * SECOND, .say = hear};

    if (strstr(path, "XXXXXX") != NULL)
        CHECK(mkdtemp(path) != NULL && chdir(path) == 0);
    struct spool *s =
        spool_open(open(".", O_RDONLY | O_DIRECTORY), &limits, &error);

    CHECK(s != NULL);
    return s;
}

static void close_spool(struct spool *s)
{
    DIR *folder = opendir(".");
    const struct dirent *entry;
    char path[64];

    spool_close(s);
    while ((entry = readdir(folder)) != NULL)
        (void)unlink(entry->d_name);
    closedir(folder);
    CHECK(getcwd(path, sizeof path) != NULL && rmdir(path) == 0);
}

static void put(struct spool *s, const char *guest, size_t size)
{
    static const char bytes[1 << 16];

    CHECK(size <= sizeof bytes);
    CHECK_EQ(spool_put(s, guest, (uint64_t)wall_ms, bytes, size, 7, &error), 0);
}

/* Windows of (guest) that begin from (from_ms) to before (to_ms); in the
 * folder, whatever the spool says. */
static unsigned count(const char *guest, long long from_ms, long long to_ms)
{
    DIR *folder = opendir(".");
    const struct dirent *entry;
    size_t length = strlen(guest);
    unsigned n = 0;

    while ((entry = readdir(folder)) != NULL) {
        long long ms;

        if (strncmp(entry->d_name, guest, length) == 0 &&
            entry->d_name[length] == '.' &&
            sscanf(entry->d_name + length + 1, "%lld.tprof", &ms) == 1)
            n += ms >= from_ms && ms < to_ms;
    }
    closedir(folder);
    return n;
}

static unsigned all_of(const char *guest)
{
    return count(guest, 0, INT64_MAX);
}

/* catches: a guest that floods, and takes the history of the others */
TEST(a_guest_that_sends_much_pays_with_its_own_windows)
{
    struct spool *s = open_spool(100000, 7 * 86400);

    for (unsigned i = 0; i < 100; i++, pass(10 * SECOND)) {
        put(s, "quiet", 100);
        put(s, "small", 50);
        for (unsigned k = 0; k < 10; k++)
            put(s, "flood", 4000);
    }
    CHECK_EQ(all_of("quiet"), 100);
    CHECK_EQ(all_of("small"), 100);
    /* and its own oldest went: 15,000 bytes are the others' */
    CHECK(all_of("flood") >= 15 && all_of("flood") <= 21);
    CHECK_EQ(count("flood", BEGIN, wall_ms - 40LL * SECOND), 0);
    CHECK_EQ(spool_sums(s).removed, 1000 - all_of("flood"));
    CHECK(spool_sums(s).bytes <= 100000);
    close_spool(s);
    CHECK_STR(lines, "");
}

/* catches: one of many that send the same, which has nothing any more */
TEST(guests_that_send_the_same_keep_the_same)
{
    struct spool *s = open_spool(30000, 7 * 86400);

    for (unsigned i = 0; i < 300; i++, pass(10 * SECOND)) {
        put(s, "a", 100);
        put(s, "b", 100);
        put(s, "c", 100);
    }
    CHECK(all_of("a") >= 90 && all_of("b") >= 90 && all_of("c") >= 90);
    CHECK_EQ(count("a", wall_ms - 900LL * SECOND, wall_ms), 90);
    /* files that are found are their guests', too */
    spool_close(s);
    s = open_spool(30000, 7 * 86400);
    for (unsigned i = 0; i < 20; i++, pass(10 * SECOND))
        put(s, "a", 1000);
    CHECK(all_of("b") >= 90 && all_of("c") >= 90);
    CHECK(all_of("a") >= 9 && all_of("a") < 20);
    close_spool(s);
}

TEST(old_windows_go) /* catches: an age that is not looked at */
{
    struct spool *s = open_spool(0, 3600);

    put(s, "g", 1);
    pass(30 * 60 * SECOND);
    put(s, "g", 1);
    CHECK_EQ(spool_sums(s).files, 2);
    pass(31 * 60 * SECOND);
    put(s, "g", 1);
    CHECK_EQ(spool_sums(s).files, 2);
    CHECK_EQ(spool_sums(s).removed, 1);
    CHECK_EQ(count("g", BEGIN, BEGIN + 1), 0);
    close_spool(s);
    CHECK_STR(lines, "");
}

/* catches: a clock that is wrong for seconds, and removes all */
TEST(nothing_goes_by_a_clock_that_was_set)
{
    struct spool *s = open_spool(0, 7 * 86400);

    for (unsigned i = 0; i < 8; i++, pass(10 * SECOND))
        put(s, "g", 1);
    wall_ms += 8 * DAY;
    for (unsigned i = 0; i < 60; i++, pass(10 * SECOND))
        put(s, "g", 1);
    CHECK_EQ(all_of("g"), 68);
    CHECK_EQ(count_lines(), 1);
    CHECK(strstr(lines, "the clock was set 8.0 days forward: no window is "
                        "removed for its age") != NULL);
    wall_ms -= 8 * DAY;
    for (unsigned i = 0; i < 60; i++, pass(10 * SECOND))
        put(s, "g", 1);
    CHECK_EQ(all_of("g"), 128);
    CHECK_EQ(count_lines(), 2);
    CHECK(strstr(lines, "the clock was set back") != NULL);
    /* from then on as before */
    for (unsigned i = 0; i < 7 * 24 + 2; i++, pass(HOUR))
        put(s, "g", 1);
    CHECK_EQ(count("g", BEGIN, BEGIN + 60 * SECOND), 0);
    CHECK_EQ(count_lines(), 2);
    close_spool(s);
}

/* catches: a step from a wrong time to the right one, after which nothing goes
 * any more; a clock that is corrected slowly, as one that was set */
TEST(a_clock_that_goes_on_is_right_in_the_end)
{
    struct spool *s = open_spool(0, 7 * 86400);

    put(s, "g", 1);
    for (unsigned i = 0; i < 100; i++, pass(10 * SECOND))
        wall_ms += 5 * SECOND, put(s, "g", 1);
    CHECK_STR(lines, "");
    wall_ms += 30 * DAY;
    for (unsigned i = 0; i < 23; i++, pass(HOUR))
        put(s, "g", 1);
    CHECK_EQ(count("g", BEGIN, BEGIN + DAY), 101);
    for (unsigned i = 0; i < 3; i++, pass(HOUR))
        put(s, "g", 1);
    CHECK_EQ(count("g", BEGIN, BEGIN + DAY), 0);
    CHECK_EQ(all_of("g"), 26);
    CHECK_EQ(count_lines(), 1);
    close_spool(s);
}

/* catches: windows of a wrong future, which push out each new one */
TEST(windows_of_the_future_are_the_first_to_go)
{
    struct spool *s = open_spool(150000, 7 * 86400);

    wall_ms += 2 * DAY;
    for (unsigned i = 0; i < 50; i++, pass(10 * SECOND))
        put(s, "g", 3000);
    wall_ms -= 2 * DAY;
    long long right = wall_ms;

    CHECK_EQ(count("g", BEGIN + DAY, INT64_MAX), 50);
    for (unsigned i = 0; i < 20; i++, pass(10 * SECOND))
        put(s, "g", 3000);
    CHECK_EQ(count("g", right, wall_ms), 20);
    CHECK(spool_sums(s).bytes <= 150000);
    for (unsigned i = 0; i < 30; i++, pass(10 * SECOND))
        put(s, "g", 3000);
    CHECK_EQ(count("g", BEGIN + DAY, INT64_MAX), 0);
    CHECK(count("g", right, wall_ms) >= 46);
    close_spool(s);
}

/* A folder of (bytes) of this process alone. */
static void mount_small(unsigned bytes)
{
    char path[] = "/tmp/test_spool_full.XXXXXX", options[32], map[32];
    unsigned user = geteuid();

    CHECK(mkdtemp(path) != NULL);
    if (unshare(CLONE_NEWNS) != 0 &&
        unshare(CLONE_NEWNS | CLONE_NEWUSER) == 0) {
        int fd = open("/proc/self/uid_map", O_WRONLY);

        (void)snprintf(map, sizeof map, "0 %u 1", user);
        CHECK(write(fd, map, strlen(map)) > 0 && close(fd) == 0);
    }
    (void)mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
    (void)snprintf(options, sizeof options, "size=%u", bytes);
    int failed = mount("none", path, "tmpfs", 0, options);

    if (failed != 0)
        (void)rmdir(path);
    if (failed != 0)
        SKIP("no file system of a test's own may be mounted");
    CHECK_EQ(chdir(path), 0);
}

/* catches: a full disk, which keeps old windows and loses all new ones */
TEST(a_full_disk_is_a_limit_by_size)
{
    mount_small(300 << 10);
    struct spool *s = spool_open(
        open(".", O_RDONLY | O_DIRECTORY),
        &(struct spool_limits){.bytes = 1u << 30, .say = hear}, &error);

    CHECK(s != NULL);
    for (unsigned i = 0; i < 40; i++, pass(10 * SECOND)) {
        put(s, "quiet", 1000); /* a page of it */
        put(s, "g", 20000);
        put(s, "g", 20000);
    }
    CHECK(all_of("quiet") == 40);
    CHECK(all_of("g") >= 4);
    CHECK_EQ(count("g", wall_ms - 15 * SECOND, wall_ms), 2);
    CHECK_EQ(spool_sums(s).removed, 80 - all_of("g"));
    CHECK_EQ(count_lines(), 1);
    CHECK(strstr(lines, "the disk is full: to make room") != NULL);
    /* but they do not all go for one that has no room in any case */
    static const char large[400 << 10];
    unsigned had = all_of("g") + all_of("quiet");

    CHECK_EQ(spool_put(s, "g", 1, large, sizeof large, 7, &error), -1);
    CHECK(strstr(error.text, "No space left") != NULL);
    CHECK_EQ(all_of("g") + all_of("quiet"), had);
    spool_close(s);
}
