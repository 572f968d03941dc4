/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Servers of images that lie, a cache that others have been at, and what the
 * process may do that asks them. Limits are small, so that they are reached: a
 * second without progress, three in all, 1,000,000 bytes, one try.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lying.h"

#define ID       "0123456789abcdef0123456789abcdef01234567"
#define REPORT   "report guest --no-pager -o txt:- -o json:json --force"
#define FUNCTION "kernel::bus::receive"
/* For two files: an executable, and if there is none, debug information. */
#define MOST_S   20

static void begin(void)
{
    enter_dir();
    write_guest();
    CHECK_EQ(setenv("DEBUGINFOD_TIMEOUT", "1", 1), 0);
    CHECK_EQ(setenv("DEBUGINFOD_MAXTIME", "3", 1), 0);
    CHECK_EQ(setenv("DEBUGINFOD_RETRY_LIMIT", "0", 1), 0);
    CHECK_EQ(setenv("DEBUGINFOD_MAXSIZE", "1000000", 1), 0);
}

/* How many KiB there are below "cache". */
static unsigned long cached(void)
{
    CHECK_EQ(system("du -sk cache | cut -f 1 >size"), 0);
    return strtoul(text_of("size"), NULL, 10);
}

/* A report is there in time, without names; it says (why), and the cache has
 * nothing of what came. */
static void check_lie(enum lie lie, const char *why)
{
    pid_t server = start_server(lie);
    time_t began = time(NULL);

    CHECK_EQ(collector(REPORT), 0);
    CHECK(time(NULL) - began <= MOST_S);
    kill_server(server);
    CHECK(access("requests", F_OK) == 0);
    CHECK_CONTAINS("json", "debuginfod has no build " ID);
    CHECK_CONTAINS("json", why);
    CHECK(!contains("json", FUNCTION));
    CHECK(cached() < 100);
}

#define TOO_LARGE "it exceeds DEBUGINFOD_MAXSIZE, 1000000"
#define TOO_SLOW  "the file took longer than DEBUGINFOD_MAXTIME"

/* Catches: a disk that a server fills */
TEST(body_without_end)
{
    begin();
    check_lie(LIE_BODY, TOO_LARGE);
}

TEST(length_that_nothing_has)
{
    begin();
    check_lie(LIE_LENGTH, TOO_LARGE);
}

/* Catches: a limit of what comes, and not of what is kept */
TEST(bytes_that_unpack_to_more)
{
    begin();
    CHECK_EQ(system("head -c 100000000 /dev/zero | gzip >bomb.gz"), 0);
    check_lie(LIE_GZIP, TOO_LARGE);
}

/* Catches: a report that waits for ever */
TEST(byte_now_and_then)
{
    begin();
    check_lie(LIE_DRIP, TOO_SLOW);
}

TEST(silence)
{
    begin();
    check_lie(LIE_SILENT, TOO_SLOW);
}

/* Catches: a guest that names many builds, and a server that is slow for each.
 * Here there are an executable to ask for and debug information. */
TEST(files_that_do_not_come_have_one_time)
{
    begin();
    CHECK_EQ(setenv("DEBUGINFOD_TIMEOUT", "2", 1), 0);
    CHECK_EQ(setenv("DEBUGINFOD_MAXTIME", "1", 1), 0);
    check_lie(LIE_SILENT, "no further request is sent");
    CHECK_EQ(occurrences("requests", "."), 1);
}

TEST(headers_without_end)
{
    begin();
    check_lie(LIE_HEADERS, "debuginfod has no build");
}

TEST(redirection_in_circles)
{
    begin();
    check_lie(LIE_CIRCLE, "debuginfod has no build");
}

/* Catches: files of this machine that a server names */
TEST(redirection_to_a_file)
{
    begin();
    copy_image("there", KERNEL, KERNEL_ID, KERNEL_ID);
    check_lie(LIE_FILE, "debuginfod has no build");
}

static void make_cache(mode_t mode)
{
    CHECK_EQ(mkdir("cache", 0700), 0);
    CHECK_EQ(chmod("cache", mode), 0);
}

/* What is in the cache is used, and no server is asked. */
TEST(cache_is_used)
{
    begin();
    make_cache(0755);
    CHECK_EQ(mkdir("cache/" ID, 0700), 0);
    copy_image("cache/" ID "/executable", KERNEL, KERNEL_ID, KERNEL_ID);
    pid_t server = start_server(LIE_NOT_FOUND);

    CHECK_EQ(collector(REPORT), 0);
    kill_server(server);
    CHECK_CONTAINS("json", FUNCTION);
}

/* Catches: files of others that are read as this user, and written to */
TEST(cache_of_everybody_is_not_used)
{
    begin();
    make_cache(0777);
    CHECK_EQ(mkdir("cache/" ID, 0700), 0);
    copy_image("cache/" ID "/executable", KERNEL, KERNEL_ID, KERNEL_ID);
    pid_t server = start_server(LIE_NOT_FOUND);

    CHECK_EQ(collector(REPORT), 0);
    kill_server(server);
    CHECK(!contains("json", FUNCTION));
    CHECK_CONTAINS("json", "other users may write there");
    CHECK(access("requests", F_OK) != 0);
}

/* Catches: a link in the cache that leads to what only this user may read */
TEST(links_out_of_the_cache_lead_nowhere)
{
    if (!has_landlock())
        SKIP("the kernel has no Landlock");
    begin();
    make_cache(0755);
    CHECK_EQ(mkdir("secret", 0700), 0);
    copy_image("secret/executable", KERNEL, KERNEL_ID, KERNEL_ID);
    CHECK_EQ(symlink("../secret", "cache/" ID), 0);
    pid_t server = start_server(LIE_NOT_FOUND);

    CHECK_EQ(setenv("ASAN_OPTIONS", "detect_leaks=0", 1), 0);
    CHECK_EQ(collector(REPORT " --sandbox=required"), 0);
    kill_server(server);
    CHECK(!contains("json", FUNCTION));
    CHECK_CONTAINS("json", "debuginfod has no build");
}

/* (check) each child of (pid). Returns how many there are. */
static int each_child(pid_t pid, void (*check)(pid_t child))
{
    char path[64], line[256] = "", *at = line;
    FILE *in;
    int count = 0;
    long child;

    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid,
                   (int)pid);
    in = fopen(path, "re");
    CHECK(in != NULL);
    (void)!fgets(line, sizeof line, in);
    (void)fclose(in);
    while ((child = strtol(at, &at, 10)) > 0) {
        check((pid_t)child);
        count++;
    }
    return count;
}

static void check_confined(pid_t child)
{
    CHECK(strstr(status_of(child), "NoNewPrivs:\t1") != NULL);
    CHECK(strstr(status_of(child), "Seccomp:\t2") != NULL);
    /* of root's: to find files, and the helper's to open them */
    CHECK(strstr(status_of(child), "CapEff:\t0000000000000000") != NULL ||
          strstr(status_of(child), "CapEff:\t0000000000000004") != NULL ||
          strstr(status_of(child), "CapEff:\t0000000000000006") != NULL);
}

/* Catches: all of the user's rights, and root's, for what parses HTTP and TLS.
 * The server says its first byte only after this has looked. */
TEST(confined_before_a_server_speaks)
{
    if (!has_landlock())
        SKIP("the kernel has no Landlock");
    begin();
    CHECK_EQ(setenv("DEBUGINFOD_TIMEOUT", "20", 1), 0);
    CHECK_EQ(setenv("DEBUGINFOD_MAXTIME", "20", 1), 0);
    CHECK_EQ(setenv("ASAN_OPTIONS", "detect_leaks=0", 1), 0);
    pid_t server = start_server(LIE_WHEN_LOOKED_AT);
    pid_t report = start_collector(REPORT " --sandbox=required");

    for (int i = 0; i < 1000 && access("requests", F_OK) != 0; i++)
        (void)usleep(10000);
    CHECK_EQ(each_child(report, check_confined), 2); /* and the helper */
    write_text("go", "");
    CHECK_EQ(join_collector(report), 0);
    kill_server(server);
    CHECK_CONTAINS("json", "debuginfod has no build " ID);
}
