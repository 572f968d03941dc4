/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector compact: merged windows say what they said, whenever the process is
 * killed, and collector push delivers each sample once.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "recording/spool/compact.h"
#include "spooled.h"

/* What (report) says of the folder spool, as JSON and folded stacks. */
static void report_to(const char *json, const char *folded, const char *asked)
{
    char line[256];

    (void)snprintf(line, sizeof line,
                   "report --spool spool %s -o %s -o %s --force", asked, json,
                   folded);
    CHECK_EQ(collector(line), 0);
}

static char *copy_of(const char *name)
{
    return strdup(text_of(name));
}

/* Does the report on what was (asked) for say the same as before? */
static void check_same(const char *before, const char *asked)
{
    char json[64], folded[64];

    (void)snprintf(json, sizeof json, "%s.json", before);
    (void)snprintf(folded, sizeof folded, "%s.folded", before);
    report_to("now.json", "now.folded", asked);
    char *a = copy_of(json), *b = copy_of("now.json");

    CHECK_STR(a, b);
    free(a);
    free(b);
    a = copy_of(folded);
    CHECK_STR(a, text_of("now.folded"));
    free(a);
}

#define SOME "--since 2025-11-24T16:00:04Z --until 2025-11-24T16:00:08Z"

TEST(merged_windows_say_what_they_said) /* catches: a sample twice or none */
{
    spooled_begin(1, BUILD);
    spooled_play(12);
    spooled_end();
    CHECK_EQ(unlink(spooled_window(2)), 0);
    report_to("all.json", "all.folded", "");
    report_to("some.json", "some.folded", SOME);
    CHECK_EQ(collector("compact spool"), 0);
    CHECK_CONTAINS("out", "6 windows merged into 1 file: ");
    CHECK(access(spooled_window(0), F_OK) != 0 &&
          access(spooled_window(10), F_OK) != 0);
    CHECK_EQ(access("spool/web.1764000000000-1764000012000.tprof", F_OK), 0);
    check_same("all", "");
    check_same("some", SOME);
    CHECK_EQ(collector("report --spool spool -o a.txt"), 0);
    CHECK_CONTAINS("a.txt", "1,000 samples of 2 cores");
    CHECK_CONTAINS("a.txt", "2 s are missing between windows, in 1 place:");
    /* it is a recording as any other */
    CHECK_EQ(collector("report spool/web.1764000000000-1764000012000.tprof "
                       "-o b.folded"),
             0);
    char *a = copy_of("all.folded");

    CHECK_STR(a, text_of("b.folded"));
    free(a);
    CHECK_EQ(collector("compact spool"), 0);
    CHECK_CONTAINS("out", "0 windows merged");
}

/* Windows of (spans) times ten minutes: two in each, and nothing between. */
static void play_apart(unsigned spans)
{
    for (unsigned i = 0; i < spans; i++) {
        for (unsigned k = 0; k < 2; k++) {
            spooled_second(i == 0 && k == 0);
            spooled_deliver();
            spooled_cut("web");
        }
        spooled_pause(598);
    }
}

static unsigned files_in(const char *folder, const char *what)
{
    DIR *d = opendir(folder);
    const struct dirent *entry;
    unsigned count = 0;

    CHECK(d != NULL);
    while ((entry = readdir(d)) != NULL)
        count += strstr(entry->d_name, what) != NULL;
    closedir(d);
    return count;
}

/* catches: a file before it is whole, one that is cut by the next process, and
 * windows that are read beside the file that has them */
TEST(whoever_is_killed_has_lost_nothing)
{
    spooled_begin(1, BUILD);
    play_apart(60);
    spooled_end();
    report_to("all.json", "all.folded", "");
    CHECK_EQ(system("cp -r spool kept"), 0);
    for (unsigned i = 0; i < 25; i++) {
        const struct timespec t = {.tv_nsec = 1000000 + (long)i * 1300000};
        pid_t pid;
        int status;

        if (i % 5 == 0)
            CHECK_EQ(system("rm -rf spool && cp -r kept spool"), 0);
        pid = start_collector("compact spool");
        nanosleep(&t, NULL);
        CHECK_EQ(kill(pid, SIGKILL), 0);
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        check_same("all", "");
    }
    CHECK_EQ(collector("compact spool"), 0);
    check_same("all", "");
    CHECK_EQ(files_in("spool", "-"), 60);
    CHECK_EQ(files_in("spool", ".tprof"), 61); /* the last words */
}

/* Windows that are in a file of several, too, are not read beside it. */
TEST(a_window_in_two_files_is_read_once)
{
    spooled_begin(1, BUILD);
    spooled_play(8);
    spooled_end();
    report_to("all.json", "all.folded", "");
    CHECK_EQ(system("cp -r spool kept"), 0);
    CHECK_EQ(collector("compact spool"), 0);
    CHECK_EQ(system("cp kept/*.tprof spool"), 0);
    CHECK_EQ(files_in("spool", ".tprof"), 6);
    check_same("all", "");
    CHECK_EQ(collector("push --to sent spool"), 0);
    CHECK_CONTAINS("out", "800 samples in 1 recording delivered");
    CHECK(!contains("out", "without samples")); /* the last window */
    CHECK_EQ(collector("compact spool"), 0);
    CHECK_EQ(files_in("spool", ".tprof"), 2); /* and what push says of it */
    check_same("all", "");
}

TEST(push_delivers_before_or_after) /* catches: a sample sent twice, or not */
{
    spooled_begin(1, BUILD);
    spooled_play(4);
    CHECK_EQ(collector("push --to sent spool"), 0);
    CHECK_CONTAINS("out", "400 samples in 2 recordings delivered");
    spooled_play(4);
    spooled_end();
    /* a receiver is known, and has not all */
    CHECK_EQ(collector("compact spool"), 0);
    CHECK_CONTAINS("out", "0 windows merged into 0 files");
    CHECK_CONTAINS("out", "5 wait for collector push");
    CHECK_EQ(collector("push --to sent spool"), 0);
    CHECK_CONTAINS("out", "400 samples in 2 recordings delivered");
    CHECK_EQ(collector("compact spool"), 0);
    CHECK_CONTAINS("out", "5 windows merged into 1 file");
    CHECK_EQ(files_in("spool", ".sent-"), 1);
    CHECK_EQ(collector("push --to sent spool"), 0);
    CHECK_CONTAINS("out", "nothing to send: 1 recording was sent before");
    /* another receiver has all from the file, once */
    CHECK_EQ(collector("push --to other spool"), 0);
    CHECK_CONTAINS("out", "800 samples in 1 recording delivered");
    CHECK_EQ(collector("push --to other spool"), 0);
    CHECK_CONTAINS("out", "nothing to send: 1 recording was sent before");
}

/* catches: windows that wait for ever for the receiver of a file that is not
 * there: whoever merged was killed before he gave it its name, or the user has
 * removed it */
TEST(marks_without_a_file_are_of_no_receiver)
{
    const char *left = "spool/web.1764000000000-1764000002000.tprof.sent-"
                       "0123abcd";

    spooled_begin(1, BUILD);
    spooled_play(4);
    spooled_end();
    write_file(left, "", 0);
    write_file("spool/removed.tprof.sent-4567cdef", "", 0);
    CHECK_EQ(collector("compact spool"), 0);
    CHECK_CONTAINS("out", "3 windows merged into 1 file");
    CHECK(!contains("out", "wait for collector push"));
    CHECK(access(left, F_OK) != 0);
    CHECK_EQ(access("spool/removed.tprof.sent-4567cdef", F_OK), 0);
}

TEST(what_there_is_too_much_of_is_said) /* catches: 'out of memory' for all */
{
    char name[128];

    spooled_begin(1, BUILD);
    spooled_play(2);
    spooled_end();
    for (unsigned i = 0; i <= SPOOL_TAGS; i++) {
        (void)snprintf(name, sizeof name, "%s.sent-%08x", spooled_window(0), i);
        write_file(name, "", 0);
    }
    CHECK_EQ(collector("compact spool"), 1);
    CHECK_CONTAINS("err", "spool: more than 32 receivers have marks there");
}

/* catches: a folder of which nothing is said why, and sums after an error */
TEST(what_is_too_early_is_told)
{
    struct timespec now;

    enter_dir();
    CHECK_EQ(mkdir("spool", 0700), 0);
    CHECK_EQ(clock_gettime(CLOCK_REALTIME, &now), 0);
    for (unsigned i = 0; i < 2; i++) {
        char name[64];

        (void)snprintf(name, sizeof name, "spool/web.%lld.tprof",
                       (long long)now.tv_sec * 1000 + i);
        write_text(name, "");
        CHECK_EQ(collector("compact spool"), 0);
        CHECK_STR(text_of("out"),
                  i == 0 ? "nothing to merge: 1 window is of the last ten "
                           "minutes\n"
                         : "nothing to merge: 2 windows are of the last ten "
                           "minutes\n");
    }
    CHECK_EQ(collector("compact nowhere"), 1);
    CHECK_STR(text_of("out"), "");
    CHECK_STR(text_of("err"),
              "collector compact: nowhere: No such file or directory\n");
}

TEST(damaged_windows_stay_as_they_are)
{
    size_t size;
    uint8_t bytes[8192];

    spooled_begin(1, BUILD);
    spooled_play(12);
    spooled_end();
    const char *good = bytes_of(spooled_window(4), &size);

    CHECK(size < sizeof bytes);
    memcpy(bytes, good, size);
    bytes[200] ^= 0xff;
    write_file(spooled_window(4), bytes, size);
    report_to("all.json", "all.folded", "");
    CHECK_EQ(collector("compact spool"), 0);
    CHECK_CONTAINS("out", "6 windows merged into 2 files");
    CHECK_CONTAINS("out", "; 1 is damaged");
    CHECK_EQ(access(spooled_window(4), F_OK), 0);
    report_to("now.json", "now.folded", "");
    char *a = copy_of("all.folded");

    CHECK_STR(a, text_of("now.folded"));
    free(a);
}

/* What comes late, as from a guest that is slow to end its window, must find
 * no file of its span. */
TEST(a_span_is_over_half_a_minute_after_its_end)
{
    struct compact_config config = {.span_ms = 600000, .now_ms = 1764000629999};
    struct compact_sums sums;
    struct err e = {""};

    spooled_begin(1, BUILD);
    spooled_play(8);
    spooled_end();
    int folder = open("spool", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    CHECK_EQ(spool_compact(folder, &config, &sums, &e), 0);
    CHECK_EQ(sums.windows, 0);
    CHECK_EQ(sums.early, 5);
    config.now_ms++;
    CHECK_EQ(spool_compact(folder, &config, &sums, &e), 0);
    CHECK_EQ(sums.windows, 5);
    CHECK_EQ(sums.early, 0);
    (void)close(folder);
}

/* Run (command) when compact has read the names, and has put no file in their
 * place. */
static void come_between(const char *command)
{
    const struct timespec t = {.tv_nsec = 10000000};
    int folder = open("spool", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char waits[64];

    CHECK_EQ(flock(folder, LOCK_EX), 0);
    pid_t pid = start_collector("compact spool");

    (void)snprintf(waits, sizeof waits, "-> FLOCK  ADVISORY  WRITE %d ",
                   (int)pid);
    for (unsigned i = 0; i < 1000 && !contains("/proc/locks", waits); i++)
        nanosleep(&t, NULL);
    CHECK_CONTAINS("/proc/locks", waits);
    CHECK_EQ(system(command), 0);
    CHECK_EQ(flock(folder, LOCK_UN), 0);
    (void)close(folder);
    CHECK_EQ(join_collector(pid), 0);
}

/* catches: a window of a clock that was set back, which nobody reads since a
 * file has its time, and one that a new receiver gets twice */
TEST(what_comes_between_is_seen)
{
    spooled_begin(1, BUILD);
    spooled_play(8);
    spooled_end();
    come_between("cp spool/web.1764000002000.tprof "
                 "spool/web.1764000003000.tprof");
    CHECK_CONTAINS("out", "0 windows merged into 0 files");
    CHECK_EQ(unlink("spool/web.1764000003000.tprof"), 0);
    come_between("touch spool/web.1764000002000.tprof.sent-0123abcd");
    CHECK_CONTAINS("out", "0 windows merged into 0 files");
    CHECK_CONTAINS("out", "5 wait for collector push");
    CHECK_EQ(files_in("spool", ".tprof"), 6);
}

/* catches: a process that the sandbox ends, and sums that no longer hold */
TEST(serve_merges_what_is_there)
{
    spooled_begin(1, BUILD);
    spooled_play(8);
    spooled_end();
    report_to("all.json", "all.folded", "");
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t pid =
        start_collector("serve --watch run --spool spool --spool-age 9000d");
    const struct timespec t = {.tv_nsec = 10000000};

    for (unsigned i = 0; i < 1000 && files_in("spool", ".tprof") != 1; i++)
        nanosleep(&t, NULL);
    CHECK_EQ(files_in("spool", ".tprof"), 1);
    CHECK_EQ(end_collector(pid), 0);
    CHECK(!contains("err", "merging windows"));
    check_same("all", "");
}

/* catches: windows that nobody merges any more, and nobody says so */
TEST(who_merges_is_there_again_after_a_kill)
{
    const struct timespec t = {.tv_nsec = 10000000};
    pid_t list[4];

    spooled_begin(1, BUILD);
    CHECK_EQ(mkdir("run", 0700), 0);
    pid_t pid =
        start_collector("serve --watch run --spool spool --spool-age 9000d");

    for (unsigned i = 0; i < 1000 && grandchildren_of(pid, list, 4) != 1; i++)
        nanosleep(&t, NULL);
    CHECK_EQ(grandchildren_of(pid, list, 4), 1);
    CHECK_EQ(kill(list[0], SIGKILL), 0);
    spooled_play(8);
    spooled_end();
    for (unsigned i = 0; i < 1000 && files_in("spool", ".tprof") != 1; i++)
        nanosleep(&t, NULL);
    CHECK_EQ(files_in("spool", ".tprof"), 1);
    CHECK_CONTAINS("err", "the process that merges windows is started again: "
                          "ended by signal 9, Killed");
    CHECK_EQ(end_collector(pid), 0);
}
