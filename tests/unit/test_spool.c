/* SPDX-License-Identifier: BSD-2-Clause */
/* The spool: whole files or none, limits, names. */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "recording/spool/spool.h"
#include "recording/spool/spool_name.h"

static const struct spool_limits none;
static struct err error;

static void enter_dir(void)
{
    static char path[] = "/tmp/test_spool.XXXXXX";

    CHECK(mkdtemp(path) != NULL && chdir(path) == 0);
}

static void write_text(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");

    CHECK(f != NULL);
    (void)fputs(text, f);
    (void)fclose(f);
}

static uint64_t now_ms(void)
{
    return (uint64_t)time(NULL) * 1000;
}

/* Close (s), and remove the folder that it is in, with all its files. */
static void leave_dir(struct spool *s)
{
    DIR *folder = opendir(".");
    char path[64];
    const struct dirent *entry;

    spool_close(s);
    while ((entry = readdir(folder)) != NULL)
        (void)unlink(entry->d_name);
    closedir(folder);
    CHECK(getcwd(path, sizeof path) != NULL && rmdir(path) == 0);
}

static struct spool *open_here(const struct spool_limits *limits)
{
    int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct spool *s = spool_open(fd, limits, &error);

    CHECK(s != NULL);
    return s;
}

static int count_files(void)
{
    DIR *folder = opendir(".");
    const struct dirent *entry;
    int count = 0;

    while ((entry = readdir(folder)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static bool is_there(const char *name)
{
    return access(name, F_OK) == 0;
}

TEST(window_is_kept_under_its_name) /* catches: another name than push has */
{
    enter_dir();
    struct spool *s = open_here(&none);

    CHECK_EQ(spool_put(s, "cid-3", 1700000000123, "bytes", 5, 7, &error), 0);
    CHECK(is_there("cid-3.1700000000123.tprof"));
    CHECK_EQ(spool_put(s, "cid-3", 1700000000123, "bytes", 5, 7, &error), 0);
    CHECK(is_there("cid-3.1700000000124.tprof"));
    CHECK_EQ(spool_sums(s).files, 2);
    CHECK_EQ(spool_sums(s).bytes, 10);
    CHECK_EQ(spool_sums(s).oldest_ms, 1700000000123);
    spool_close(s);
    s = open_here(&none);
    CHECK_EQ(spool_sums(s).files, 2);
    CHECK_EQ(spool_sums(s).bytes, 10);
    leave_dir(s);
}

TEST(name_cannot_leave_the_folder) /* catches: a guest that names itself ../x */
{
    static const char *const names[] = {"",   "..",  "../x", "a/b",
                                        ".a", "a b", "a\n",  "\xc3\xa4"};
    char longest[SPOOL_GUEST_MAX + 2];

    enter_dir();
    struct spool *s = open_here(&none);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        CHECK_EQ(spool_put(s, names[i], 1, "b", 1, 7, &error), -1);
    memset(longest, 'x', sizeof longest);
    longest[SPOOL_GUEST_MAX + 1] = '\0';
    CHECK_EQ(spool_put(s, longest, 1, "b", 1, 7, &error), -1);
    longest[SPOOL_GUEST_MAX] = '\0';
    CHECK_EQ(spool_put(s, longest, now_ms(), "b", 1, 7, &error), 0);
    CHECK_EQ(count_files(), 1);
    leave_dir(s);
}

TEST(oldest_go_when_there_is_too_much) /* catches: no limit; the newest gone */
{
    enter_dir();
    write_text("g.0000000000001.tprof.sent-0123abcd", "delivered");
    write_text("g.0000000000001.tprof.sent-0123abcd~", "deli"); /* by a kill */
    write_text("g.0000000000099.tprof.sent-0123abcd", "delivered");
    write_text("run.tprof", "a recording"); /* no window: it stays */
    write_text("run.tprof.sent-0123abcd", "delivered");
    struct spool *s = open_here(&(struct spool_limits){.bytes = 1000});

    for (uint64_t i = 1; i <= 100; i++)
        CHECK_EQ(spool_put(s, i % 2 != 0 ? "g" : "h", i,
                           "0123456789012345678901234567890123456789", 40, 7,
                           &error),
                 0);
    CHECK(spool_sums(s).bytes <= 1000);
    CHECK(spool_sums(s).bytes >= 800);
    CHECK_EQ(spool_sums(s).files + spool_sums(s).removed, 100);
    CHECK_EQ(spool_sums(s).removed_bytes, 40 * spool_sums(s).removed);
    CHECK_EQ(spool_sums(s).unsent, spool_sums(s).removed - 1); /* all but g 1 */
    CHECK_EQ(spool_sums(s).unsent_samples, 7 * spool_sums(s).unsent);
    CHECK(is_there("h.0000000000100.tprof"));
    CHECK(is_there("g.0000000000099.tprof.sent-0123abcd"));
    CHECK(!is_there("g.0000000000001.tprof"));
    CHECK(!is_there("g.0000000000001.tprof.sent-0123abcd"));
    CHECK(!is_there("g.0000000000001.tprof.sent-0123abcd~"));
    CHECK_EQ(count_files(), (int)spool_sums(s).files + 3);
    leave_dir(s);
}

TEST(nobody_waits_where_nothing_was_sent) /* catches: no push as a loss */
{
    enter_dir();
    write_text("g.0000000000001.tprof.sent-0123", "another program's");
    struct spool *s = open_here(&(struct spool_limits){.bytes = 1});

    CHECK_EQ(spool_put(s, "g", 1, "bb", 2, 7, &error), 0);
    CHECK_EQ(spool_sums(s).removed, 1);
    CHECK_EQ(spool_sums(s).unsent, 0);
    CHECK(is_there("g.0000000000001.tprof.sent-0123"));
    leave_dir(s);
}

TEST(half_written_window_goes) /* catches: what a kill leaves taken for whole */
{
    enter_dir();
    write_text(".fresh-123-4", "half a win");
    write_text("notes.txt", "not ours");
    write_text("other.tprof", "a recording without a time");
    struct spool *s = open_here(&(struct spool_limits){.bytes = 1});

    CHECK(!is_there(".fresh-123-4"));
    CHECK_EQ(spool_sums(s).files, 0);
    CHECK_EQ(spool_put(s, "g", now_ms(), "bb", 2, 7, &error), 0);
    CHECK(is_there("notes.txt"));
    CHECK(is_there("other.tprof"));
    leave_dir(s);
}

/* Catches: a process that may write there, has a link to another file of ours
 * in the way, and so has that cut short */
TEST(what_is_there_is_not_written_over)
{
    char name[64], text[16] = "";

    enter_dir();
    struct spool *s = open_here(&none);

    write_text("victim", "all of it");
    (void)snprintf(name, sizeof name, ".fresh-%ld-0", (long)getpid());
    CHECK_EQ(link("victim", name), 0);
    CHECK_EQ(spool_put(s, "g", 1, "window", 6, 7, &error), -1);
    CHECK(strstr(error.text, "File exists") != NULL);
    FILE *f = fopen("victim", "r");

    CHECK(f != NULL && fgets(text, sizeof text, f) != NULL);
    (void)fclose(f);
    CHECK_STR(text, "all of it");
    CHECK_EQ(spool_put(s, "g", 1, "window", 6, 7, &error), 0);
    leave_dir(s);
}

/* Another process merges, and says so by the time of a file. */
TEST(merged_windows_count_and_go_by_the_limits)
{
    enter_dir();
    struct spool *s = open_here(&(struct spool_limits){.bytes = 100});

    CHECK_EQ(spool_put(s, "g", 1700000000000, "bbbb", 4, 7, &error), 0);
    CHECK_EQ(spool_put(s, "g", 1700000010000, "bbbb", 4, 7, &error), 0);
    CHECK_EQ(unlink("g.1700000000000.tprof"), 0);
    CHECK_EQ(unlink("g.1700000010000.tprof"), 0);
    write_text("g.1700000000000-1700000010000.tprof", "both");
    write_text("g.1700000000000-1700000010000.tprof.sent-1234abcd", "");
    write_text(".merging", "");
    CHECK_EQ(spool_put(s, "g", 1700000020000, "b", 1, 7, &error), 0);
    CHECK_EQ(spool_sums(s).files, 2);
    CHECK_EQ(spool_sums(s).bytes, 5);
    CHECK_EQ(spool_sums(s).oldest_ms, 1700000000000);
    /* the clock was set back: what lies within would not be read */
    CHECK_EQ(spool_put(s, "g", 1700000005000, "b", 1, 7, &error), 0);
    CHECK(is_there("g.1700000010001.tprof"));
    CHECK_EQ(spool_put(s, "h", 1700000005000, "b", 1, 7, &error), 0);
    CHECK(is_there("h.1700000005000.tprof"));
    char large[99];

    /* what was put is known also after another look */
    CHECK_EQ(utimensat(AT_FDCWD, ".merging",
                       (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}}, 0),
             0);
    memset(large, 'b', sizeof large);
    CHECK_EQ(spool_put(s, "g", 1700000030000, large, sizeof large, 7, &error),
             0);
    CHECK(!is_there("g.1700000000000-1700000010000.tprof"));
    CHECK(!is_there("g.1700000000000-1700000010000.tprof.sent-1234abcd"));
    CHECK_EQ(spool_sums(s).removed, 4); /* h has its share */
    CHECK_EQ(spool_sums(s).unsent, 3);  /* the merged one was sent */
    CHECK_EQ(spool_sums(s).unsent_samples, 3 * 7);
    leave_dir(s);
}

TEST(names_tell_windows_and_files_of_several)
{
    static const char *const wrong[] = {"g.1700000000000-170000001000.tprof",
                                        "g.1700000010000-1700000000000.tprof",
                                        ".1700000000000-1700000010000.tprof",
                                        "g-1700000000000-1700000010000.tprof",
                                        "g.170000000000-1700000010000.tprof",
                                        "1700000000000-1700000010000.tprof"};
    struct spool_name n;

    CHECK(spool_name_parse("a.b-1.1700000000000.tprof", &n));
    CHECK_EQ(n.guest_length, 5);
    CHECK_EQ(n.start_ms, 1700000000000);
    CHECK_EQ(n.last_ms, 0);
    CHECK(!spool_name_covers(&n, 1700000000000));
    CHECK(spool_name_parse("a.b-1.1700000000000-1700000010000.tprof", &n));
    CHECK_EQ(n.guest_length, 5);
    CHECK_EQ(n.start_ms, 1700000000000);
    CHECK_EQ(n.last_ms, 1700000010000);
    CHECK(spool_name_covers(&n, 1700000010000));
    CHECK(!spool_name_covers(&n, 1700000010001));
    CHECK(!spool_name_covers(&n, 1699999999999));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(!spool_name_parse(wrong[i], &n));
}

/* Set the time of the file (name) to second (second). */
static void set_time(const char *name, time_t second)
{
    const struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};

    CHECK_EQ(utimensat(AT_FDCWD, name, times, 0), 0);
}

TEST(the_last_images_are_kept) /* catches: a folder that fills the disk */
{
    enter_dir();
    struct spool *s = open_here(&none);
    int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char name[16];

    for (unsigned i = 0; i < SPOOL_IMAGES; i++) {
        (void)snprintf(name, sizeof name, "%02x.image", i);
        CHECK_EQ(
            spool_image_keep(fd, name, (const uint8_t *)"first", 5, &error), 0);
        set_time(name, i == 7 ? 1 : 1000 + (time_t)i);
    }
    CHECK_EQ(spool_image_keep(fd, "03.image", (const uint8_t *)"no", 2, &error),
             0);
    CHECK(access("07.image", F_OK) == 0);
    CHECK_EQ(
        spool_image_keep(fd, "ff.image", (const uint8_t *)"new", 3, &error), 0);
    CHECK(access("07.image", F_OK) != 0);
    CHECK(access("00.image", F_OK) == 0 && access("ff.image", F_OK) == 0);
    struct stat st;

    CHECK(stat("03.image", &st) == 0 && st.st_size == 5);
    CHECK_EQ(spool_image_keep(fd, "large.image", (const uint8_t *)"",
                              SPOOL_IMAGE_MAX + 1ull, &error),
             0);
    CHECK(access("large.image", F_OK) != 0);
    (void)close(fd);
    leave_dir(s);
}
