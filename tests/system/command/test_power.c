/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A spool when power fails, at each change that is made to it: windows that are
 * older than a minute are there, whole, and once; and what is there adds up.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "power.h"
#include "recording/spool/compact.h"
#include "recording/spool/spool.h"
#include "recording/spool/spool_list.h"
#include "recording/spool/spool_name.h"
#include "spooled.h"

#define SECONDS   80u
#define SPAN_MS   20000u /* of a merged file */
#define SETTLE_S  15u    /* as the process that merges does */
#define MINUTE_MS 60000u
#define TAG       "0123abcd"
/* Of a window of two seconds: two cores, of which each takes 50 samples a
 * second and finds its ring full twice. */
#define SAMPLES   200u
#define RING_FULL 8u

static int spool;
static struct err error;

/* The receiver has what is older than 20 s: see push/queue.c. */
static void mark_sent(unsigned second)
{
    char name[96];
    const char *window = spooled_window(second) + strlen("spool/");

    (void)snprintf(name, sizeof name, "%s.sent-" TAG, window);
    int fd = openat(spool, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    CHECK(fd >= 0 && write(fd, "delivered 1 2 3 -\n", 18) == 18);
    CHECK_EQ(close(fd), 0);
}

static void merge(int fd)
{
    const struct compact_config config = {.span_ms = SPAN_MS,
                                          .now_ms = power_now_ms};
    struct compact_sums sums;

    CHECK_EQ(spool_compact(fd, &config, &sums, &error), 0);
}

/* Serve a guest for a while, and merge its windows each (merge_s) seconds; with
 * a receiver of them, or without. */
static void play(unsigned merge_s, bool receiver)
{
    spooled_begin(1, BUILD);
    spool = open("spool", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(spool >= 0);
    power_begin();
    for (unsigned i = 0; i < SECONDS; i++, power_now_ms += 1000) {
        spooled_second(i == 0);
        spooled_deliver();
        if (i % 2 == 1)
            spooled_cut("web");
        if (receiver && i % 2 == 1 && i >= 20)
            mark_sent(i - 21);
        if (i % SETTLE_S == 0)
            CHECK_EQ(spool_settle(spool, &error), 0);
        if (merge_s != 0 && i != 0 && i % merge_s == 0)
            merge(spool);
    }
    power_end();
    spooled_end();
}

/* The window that change (i) gave its name to: false if it did not. */
static bool is_window(size_t i, struct spool_name *n)
{
    const char *name = power_named(i);

    return name != NULL && spool_name_parse(name, n) && n->last_ms == 0;
}

/* How many files of (list) have the window that begins at (start_ms)? */
static unsigned times(const struct spool_list *list, uint64_t start_ms)
{
    unsigned count = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct spool_window *w = &list->windows[i];

        count += w->last_ms == 0
                     ? w->start_ms == start_ms
                     : w->start_ms <= start_ms && start_ms <= w->last_ms;
    }
    return count;
}

/* The file in which (list) has it. */
static const char *file_in(const struct spool_list *list, uint64_t start_ms)
{
    static char path[256];

    for (size_t i = 0; i < list->count; i++) {
        const struct spool_window *w = &list->windows[i];

        if (w->start_ms == start_ms ||
            (w->start_ms < start_ms && start_ms <= w->last_ms))
            return strrchr(spool_list_path(list, i, path, sizeof path), '/') +
                   1;
    }
    return "";
}

/* A file of several is whole, and nobody gets it twice. */
static void check_merged(const struct spool_list *list, bool receiver)
{
    char path[256], mark[300];

    for (size_t i = 0; i < list->count; i++) {
        if (list->windows[i].last_ms == 0)
            continue;
        const char *name =
            strrchr(spool_list_path(list, i, path, sizeof path), '/') + 1;

        (void)snprintf(mark, sizeof mark, "%s.sent-" TAG, name);
        if (!power_is_whole(name) || (receiver && !power_is_whole(mark)))
            check_failed(__FILE__, __LINE__, "%s, or its mark", name);
    }
}

/* Power failed before change (end). Returns how many windows can be read;
 * (*damaged) there are, too. */
static unsigned check(const char *folder, size_t end, bool receiver,
                      unsigned *damaged)
{
    struct spool_list list = {0};
    struct spool_name n;
    unsigned good = 0;

    if (spool_list_open(&list, &(struct spool_pick){.folder = folder},
                        &error) != 0)
        CHECK(strstr(error.text, "has no windows") != NULL);
    *damaged = 0;
    for (size_t i = 0; i < end; i++) {
        if (!is_window(i, &n))
            continue;
        unsigned found = times(&list, n.start_ms);
        bool old = power_time_ms(end) - power_time_ms(i) > MINUTE_MS;
        bool whole = found != 0 && power_is_whole(file_in(&list, n.start_ms));

        if (found > 1 || (old && !whole))
            check_failed(__FILE__, __LINE__,
                         "window %" PRIu64 ": %u times, whole: %d; %s",
                         n.start_ms, found, whole, folder);
        good += whole;
        *damaged += found != 0 && !whole;
    }
    check_merged(&list, receiver);
    spool_list_fini(&list);
    return good;
}

/* What the program says of the folder. */
static void ask(const char *folder, unsigned good, unsigned damaged)
{
    char line[128], text[64];

    (void)snprintf(line, sizeof line,
                   "report --spool %s -o now.txt -o now.json --force", folder);
    CHECK_EQ(collector(line), good != 0 ? 0 : 1);
    if (good == 0)
        return;
    (void)snprintf(text, sizeof text, "%u,%03u samples of 2 cores",
                   good * SAMPLES / 1000, good * SAMPLES % 1000);
    CHECK_CONTAINS("now.txt", good * SAMPLES < 1000 ? text + 2 : text);
    (void)snprintf(text, sizeof text, "%u lost", good * RING_FULL);
    CHECK_CONTAINS("now.txt", text);
    CHECK_EQ(contains("now.txt", "cannot be used"), damaged != 0);
}

/* The collector goes on there: it looks, and merges. */
static void go_on(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct spool *s = spool_open(fd, &(struct spool_limits){0}, &error);

    CHECK(fd >= 0 && s != NULL);
    merge(fd);
    spool_close(s);
    CHECK_EQ(close(fd), 0);
}

static const enum power_kept kinds[] = {POWER_NOTHING, POWER_ALL,  POWER_NAMES,
                                        POWER_BYTES,   POWER_SOME, POWER_SOME};
#define KINDS (sizeof kinds / sizeof kinds[0])

static void fail_at_each_change(bool receiver)
{
    unsigned asked = 0, reached = 0, damaged;

    for (size_t end = 1; end <= power_count(); end++)
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            uint32_t seed = (uint32_t)end * 31 + kind;

            power_cut("cut", end, kinds[kind], seed);
            unsigned good = check("cut", end, receiver, &damaged);

            reached += damaged != 0;
            if (seed % 7 == 0)
                go_on("cut");
            if (seed % 7 == 0 ? seed % 311 < 6 : seed % 311 == 0) {
                ask("cut", good, damaged);
                asked++;
            }
        }
    CHECK(asked >= 3);
    CHECK(reached >= 20); /* damaged ones are young */
}

TEST(windows_are_there_a_minute_later) /* catches: nobody waits for the disk */
{
    play(0, false);
    fail_at_each_change(false);
}

/* catches: a file that has its name before its bytes, and whose windows go
 * before it is there */
TEST(merged_windows_are_there_in_one_file_or_the_other)
{
    play(70, false);
    fail_at_each_change(false);
}

/* catches: a file that comes back without its mark, and is sent again */
TEST(merged_windows_are_sent_once)
{
    play(70, true);
    fail_at_each_change(true);
}
