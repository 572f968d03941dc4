/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that the collector writes: whose they are, and which it spares. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

static void play_50(int listener)
{
    play_in_order(listener, 50);
}

/* Samples until the collector has had enough. */
static void play_20(int listener)
{
    play_in_order(listener, 20);
}

static unsigned mode_of(const char *name)
{
    struct stat st;

    CHECK_EQ(stat(name, &st), 0);
    return st.st_mode & 0777;
}

static void play_500(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 100);
    for (uint64_t before = 100; before < 500; before += 100)
        say_samples(fd, 100, before);
    end_session(fd, 500);
}

/* Record a guest at the socket (port), with (more) words. */
static int sample(const char *port, void (*play)(int), const char *more)
{
    char words[256];
    pid_t guest = start_guest(port, play);

    (void)snprintf(words, sizeof words, "record --serial %s -d 0.2 %s", port,
                   more);
    int status = collector(words);

    join_guest(guest);
    return status;
}

/* Catches: the one destroying what the other writes, both content */
TEST(recording_in_use_is_refused_before_sampling)
{
    enter_dir();
    pid_t guest = start_guest("one", play_50);
    pid_t first = start_collector("record --serial one -o a.tprof");

    wait_for_size("a.tprof", 500);
    /* nobody listens at this socket, so sampling would wait */
    CHECK_EQ(collector("record --serial other -o a.tprof"), 1);
    CHECK_CONTAINS("err", "a.tprof: in use by another collector");
    CHECK(access("a.tprof.old", F_OK) != 0);
    CHECK_EQ(kill(first, SIGINT), 0);
    CHECK_EQ(join_collector(first), 0);
    join_guest(guest);
    CHECK_EQ(collector("report a.tprof"), 0);
    CHECK_CONTAINS("out", "50 samples of 1 core");
}

TEST(report_in_use_is_refused_before_sampling) /* catches: likewise */
{
    enter_dir();
    write_text("a.txt", "a.elf: 50 samples of yesterday\n");
    pid_t guest = start_guest("one", play_50);
    pid_t first = start_collector("--serial one -o a.txt -o a.tprof");

    wait_for_size("a.tprof", 500);
    CHECK_EQ(collector("--serial other -o a.txt"), 1);
    CHECK_CONTAINS("err", "a.txt: in use by another collector");
    CHECK_STR(text_of("a.txt"), "a.elf: 50 samples of yesterday\n");
    CHECK_EQ(kill(first, SIGINT), 0);
    CHECK_EQ(join_collector(first), 0);
    join_guest(guest);
    CHECK_CONTAINS("a.txt", "50 samples of 1 core");
    CHECK(!contains("a.txt", "yesterday"));
}

TEST(file_named_twice_is_refused) /* catches: two reports in one file */
{
    enter_dir();
    CHECK_EQ(collector("--serial port -o a.txt -o a.txt"), 1);
    CHECK_CONTAINS("err", "named twice");
}

/* Catches: yesterday's recording gone for a second of today's */
TEST(earlier_recording_is_kept_once)
{
    enter_dir();
    CHECK_EQ(sample("one", play_50, ""), 0);
    CHECK(access("tprof.tprof.old", F_OK) != 0);
    CHECK_EQ(sample("two", play_20, ""), 0);
    CHECK_EQ(collector("report tprof.tprof"), 0);
    CHECK_CONTAINS("out", "20 samples of 1 core");
    CHECK_EQ(collector("report tprof.tprof.old"), 0);
    CHECK_CONTAINS("out", "50 samples of 1 core");
    CHECK_EQ(sample("three", play_20, ""), 0);
    CHECK_EQ(collector("report tprof.tprof.old"), 0);
    CHECK_CONTAINS("out", "20 samples of 1 core");
}

/* Catches: the last recording with samples gone for two without */
TEST(recording_without_samples_replaces_none_with_some)
{
    enter_dir();
    CHECK_EQ(sample("one", play_500, ""), 0);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(collector("record --serial none --wait 0"), 1);
    CHECK_CONTAINS("err",
                   "no samples came: tprof.tprof is the older recording");
    CHECK_EQ(collector("report tprof.tprof"), 0);
    CHECK_CONTAINS("out", "500 samples of 1 core");
    CHECK(access("tprof.tprof.old", F_OK) != 0);
    CHECK_EQ(sample("two", play_500, ""), 0);
    CHECK_EQ(sample("three", play_20, ""), 0);
    CHECK_EQ(collector("report tprof.tprof.old"), 0);
    CHECK_CONTAINS("out", "500 samples of 1 core");
}

/* Catches: a short recording gone for one without samples */
TEST(recording_with_few_samples_is_there_after_one_without)
{
    enter_dir();
    CHECK_EQ(sample("one", play_500, ""), 0);
    CHECK_EQ(sample("two", play_20, ""), 0);
    CHECK_EQ(chmod("tprof.tprof", 0640), 0);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(collector("record --serial none --wait 0"), 1);
    CHECK_CONTAINS("err",
                   "no samples came: tprof.tprof is the older recording");
    CHECK_EQ(collector("report tprof.tprof"), 0);
    CHECK_CONTAINS("out", "20 samples of 1 core");
    CHECK_EQ(mode_of("tprof.tprof"), 0640);
    CHECK_EQ(collector("report tprof.tprof.old"), 0);
    CHECK_CONTAINS("out", "500 samples of 1 core");
}

TEST(linked_recording_is_kept_beside_its_file) /* catches: a link replaced */
{
    struct stat st;

    enter_dir();
    CHECK(mkdir("big", 0700) == 0 && symlink("big/a.tprof", "a.tprof") == 0);
    CHECK_EQ(sample("one", play_50, "-o a.tprof"), 0);
    CHECK_EQ(sample("two", play_20, "-o a.tprof"), 0);
    CHECK(lstat("a.tprof", &st) == 0 && S_ISLNK(st.st_mode));
    CHECK_EQ(collector("report big/a.tprof.old"), 0);
    CHECK_CONTAINS("out", "50 samples of 1 core");
}

TEST(recordings_are_the_users_alone) /* catches: kernel addresses for all */
{
    enter_dir();
    (void)umask(0);
    write_text("a.tprof", ""); /* by mktemp or touch */
    CHECK_EQ(mode_of("a.tprof"), 0666);
    CHECK_EQ(sample("one", play_50, ""), 0);
    CHECK_EQ(sample("two", play_50, "-o a.tprof"), 0);
    CHECK_EQ(mode_of("tprof.tprof"), 0600);
    CHECK_EQ(mode_of("a.tprof"), 0600);
}

/* The collector refuses (line) with (status), and leaves (name) as it is. */
static void check_spared(const char *name, const char *line, int status)
{
    size_t size, size_now;
    const char *bytes = bytes_of(name, &size);
    char *before = malloc(size);

    CHECK(before != NULL);
    memcpy(before, bytes, size);
    CHECK_EQ(collector(line), status);
    CHECK_CONTAINS("err", "would be overwritten: name another file");
    bytes = bytes_of(name, &size_now);
    CHECK(size_now == size && memcmp(bytes, before, size) == 0);
    free(before);
}

/* Catches: a kernel, or the only recording, gone by a slip of the hand */
TEST(what_a_command_reads_is_not_overwritten)
{
    enter_dir();
    copy_image("k.elf", KERNEL, KERNEL_ID, NULL);
    CHECK_EQ(link("k.elf", "same"), 0);
    CHECK_EQ(sample("one", play_50, "-o a.tprof"), 0);
    write_text("list", "serial=one\n");
    check_spared("k.elf", "--serial one --elf k.elf -o k.elf --format tprof",
                 2);
    check_spared("k.elf", "--elf k.elf --serial one -o same --format txt", 2);
    check_spared("a.tprof", "report a.tprof -o a.tprof --format txt", 2);
    check_spared("a.tprof", "--input a.tprof -o a.tprof", 2);
    check_spared("list", "--guests list -o list --format txt", 2);
}

/* Catches: likewise, where the command did not name what it destroys */
TEST(images_and_recordings_are_not_overwritten)
{
    enter_dir();
    copy_image("k.elf", KERNEL, KERNEL_ID, NULL);
    CHECK_EQ(sample("one", play_50, "-o a.tprof"), 0);
    CHECK_EQ(sample("two", play_50, "-o b.tprof"), 0);
    write_file("k.efi", "MZ\x90\0\3\0\0\0\4", 9);
    check_spared("k.elf", "record --serial one -o k.elf --format tprof", 1);
    check_spared("k.elf", "report a.tprof -o k.elf --format folded", 1);
    check_spared("k.efi", "report a.tprof -o k.efi --format txt", 1);
    check_spared("b.tprof", "report a.tprof -o txt:b.tprof", 1);
}

/* A command of the shell, with the collector's name in $C. */
static int shell(const char *command)
{
    CHECK_EQ(setenv("C", COLLECTOR, 1), 0);
    int status = system(command);

    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Catches: "0 guests need 64 open files" */
TEST(report_needs_few_open_files)
{
    enter_dir();
    CHECK_EQ(sample("port", play_20, "-o a.tprof"), 0);
    CHECK_EQ(shell("ulimit -n 20; $C report a.tprof -o a.txt"), 0);
    CHECK_CONTAINS("a.txt", "20 samples");
}

/* A recording of 50 samples, a.tprof. */
static void make_recording(void)
{
    CHECK_EQ(sample("port", play_50, "-o a.tprof"), 0);
}

/* Catches: a file that does not do what was asked, without a word */
TEST(options_that_a_file_does_not_follow_are_told)
{
    static const char told[] =
        "collector report: json, csv: everything is "
        "there; --idle, --of all, --sort late, --top 3, "
        "--inverted, --callers-of 0x, --function 0x: for "
        "text and pages alone\n";
#define ASKED                                                                  \
    "report a.tprof --idle --of all --sort late --top 3 --inverted "           \
    "--callers-of 0x --function 0x "

    enter_dir();
    make_recording();
    CHECK_EQ(collector(ASKED "-o x.json -o x.html -o x.csv"), 0);
    CHECK_CONTAINS("err", told);
    CHECK_EQ(collector(ASKED "-q --width 100 -o x.txt -o x.html"), 0);
    CHECK_STR(text_of("err"), "");
    CHECK_CONTAINS("x.txt", "Shown: idle time, shares of all time, rows by "
                            "late, at most 3 rows, trees from the inside out,");
    CHECK_EQ(collector("report a.tprof -q --core 0 -o x.json"), 0);
    CHECK_STR(text_of("err"), "");
}

/* Catches: notes, sources and mail overwritten by a slip of the hand */
TEST(what_tprof_has_not_written_is_not_overwritten)
{
    enter_dir();
    make_recording();
    write_text("notes.txt", "my notes about tprof and cooking\n");
    CHECK_EQ(system("echo cooking | gzip >photos.gz"), 0);
    check_spared("photos.gz", "report a.tprof -o pprof:photos.gz", 1);
    check_spared("notes.txt", "report a.tprof -o txt:notes.txt", 1);
    write_text("notes.txt", "buy milk\n");
    write_text("empty.txt", "");
    check_spared("notes.txt", "report a.tprof -o notes.txt", 1);
    CHECK_CONTAINS("err", "notes.txt: is not a file that tprof wrote (add "
                          "--force)");
    check_spared("notes.txt", "record --serial x -o tprof:notes.txt", 1);
    CHECK_EQ(collector("report a.tprof -o empty.txt"), 0);
    CHECK_CONTAINS("empty.txt", "50 samples");
    CHECK_EQ(collector("report a.tprof -o notes.txt --force"), 0);
    CHECK_CONTAINS("notes.txt", "50 samples");
    copy_image("k.elf", KERNEL, KERNEL_ID, NULL);
    check_spared("k.elf", "report a.tprof -o txt:k.elf --force", 1);
    check_spared("a.tprof", "report a.tprof -o txt:a.tprof --force", 2);
}

/* Catches: a format whose second report is refused, since its first one does
 * not begin as claim.c knows it */
TEST(each_format_replaces_what_it_wrote)
{
    char list[2048], line[128], *rest;
    int formats = 0;

    enter_dir();
    make_recording();
    CHECK_EQ(collector("report a.tprof -o x.nonsense"), 2);
    CHECK_CONTAINS("err", "the formats are tprof, txt, ");
    (void)snprintf(list, sizeof list, "%s",
                   strstr(text_of("err"), "are tprof, ") + 11);
    for (char *name = strtok_r(list, ", \n", &rest); name != NULL;
         name = strtok_r(NULL, ", \n", &rest)) {
        (void)snprintf(line, sizeof line, "report a.tprof -o %s:out.%s", name,
                       name);
        CHECK_EQ(collector(line), 0);
        CHECK_EQ(collector(line), 0);
        formats++;
    }
    CHECK(formats >= 2);
}

/* Is there another file than those that (names) has between blanks? */
static bool is_littered(const char *names)
{
    DIR *dir = opendir(".");
    bool littered = false;

    CHECK(dir != NULL);
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        char name[300];

        (void)snprintf(name, sizeof name, " %s ", d->d_name);
        littered |= strstr(names, name) == NULL;
    }
    (void)closedir(dir);
    return littered;
}

/* As collector() for what needs no (bytes) large file, and is not to get one.
 */
static int collector_limited(const char *line, rlim_t bytes)
{
    struct rlimit before, small;

    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){bytes, before.rlim_max};
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    int status = collector(line);

    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    return status;
}

/* Catches: an empty file, which the next command takes for a report */
TEST(report_that_fails_leaves_no_file)
{
    enter_dir();
    make_recording();
    CHECK_EQ(collector_limited("report a.tprof -o a.txt -o b.txt --all", 300),
             1);
    CHECK(!is_littered(" . .. port a.tprof out err "));
    /* nor does one that never began, but what was there stays: mktemp(1) */
    CHECK_EQ(close(open("b.txt", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
    CHECK_EQ(collector("report nothing.tprof -o a.txt -o txt:b.txt"), 1);
    CHECK_EQ(collector("record --serial nothing --wait 0.1 -o b.tprof "
                       "-o a.txt -o b.txt"),
             1);
    CHECK(!is_littered(" . .. port a.tprof b.txt b.tprof out err "));
}

/* Catches: half a report in place of yesterday's, and what is left behind */
TEST(report_that_fails_leaves_the_old_one)
{
    struct stat st, again;

    enter_dir();
    make_recording();
    CHECK_EQ(collector("report a.tprof -o a.txt --all"), 0);
    CHECK(stat("a.txt", &st) == 0 && st.st_size > 300);
    CHECK_EQ(chmod("a.txt", 0640), 0);
    char *old = strdup(text_of("a.txt"));

    CHECK_EQ(collector_limited("report a.tprof -o a.txt --all", 300), 1);
    CHECK_STR(text_of("a.txt"), old);
    CHECK(!is_littered(" . .. port a.tprof a.txt out err "));

    /* one that does not is a file of its own: who reads the old one is left in
     * peace; mode and link stay */
    CHECK_EQ(symlink("a.txt", "link.txt"), 0);
    CHECK_EQ(collector("report a.tprof -o link.txt --all"), 0);
    CHECK(lstat("link.txt", &again) == 0 && S_ISLNK(again.st_mode));
    CHECK(stat("a.txt", &again) == 0 && again.st_ino != st.st_ino);
    CHECK_EQ(mode_of("a.txt"), 0640);
    CHECK(!is_littered(" . .. port a.tprof a.txt link.txt out err "));
    free(old);
}

TEST(each_file_has_the_format_that_it_says)
{
    enter_dir();
    make_recording();
    CHECK_EQ(collector("report a.tprof -o folded:x -o a.txt -o y:folded"), 0);
    CHECK_STR(text_of("x"), "core0;0x400100 50\n");
    CHECK_STR(text_of("y"), "core0;0x400100 50\n");
    CHECK_CONTAINS("a.txt", "50 samples");
    CHECK_EQ(collector("report a.tprof -o -:folded"), 0);
    CHECK_STR(text_of("out"), "core0;0x400100 50\n");
    /* of several files: a suffix wins. Catches: folded stacks in a.txt */
    CHECK_EQ(collector("report a.tprof -o a.txt -o z --format folded"), 0);
    CHECK_CONTAINS("a.txt", "50 samples");
    CHECK_STR(text_of("z"), "core0;0x400100 50\n");
    CHECK_EQ(collector("report a.tprof -o a.txt --format folded"), 0);
    CHECK_STR(text_of("a.txt"), "core0;0x400100 50\n");
    CHECK_STR(text_of("err"), "wrote a.txt (18 bytes)\n");
    CHECK_EQ(collector("report a.tprof -o b.txt -o c.txt --format folded"), 2);
    CHECK_CONTAINS("err", "--format folded: each -o says its format already; "
                          "type -o folded:FILE for another one");
    CHECK_EQ(collector("report a.tprof -o -"), 0);
    CHECK_CONTAINS("out", "50 samples");
    CHECK_EQ(collector("record --serial port -o -"), 2);
    CHECK_STR(text_of("err"), "collector record: -o -: a recording goes into a "
                              "file, not to standard output\n");
    CHECK_EQ(collector("record --serial port -o a.tprof -o b.tprof"), 2);
    CHECK_CONTAINS("err", "-o b.tprof: one recording at a time, and there is "
                          "a.tprof");
}
