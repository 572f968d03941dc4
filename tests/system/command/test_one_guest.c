/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector as its user has it, with one guest: output, signals, a
 * terminal, exit status.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

static void play_50(int listener)
{
    play_in_order(listener, 50);
}

/* Says nothing more after its samples. */
static void play_silent(int listener)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    while (hear(fd))
        continue;
}

static void play_leaving(int listener)
{
    begin_session(meet(listener), 1, NULL, 50);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

TEST(run_prints_its_report_and_leaves_its_files)
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);

    CHECK_EQ(collector("--serial port -d 0.3 -q -o a.tprof -o a.folded "
                       "-o a.txt"),
             0);
    join_guest(guest);
    CHECK_CONTAINS("out", "50 samples of 1 core");
    CHECK_CONTAINS("out", "0x400100");
    CHECK_STR(text_of("err"), ""); /* catches: progress in a pipe */
    CHECK_STR(text_of("a.folded"), "core0;0x400100 50\n");

    /* the recording makes the same, to the byte */
    CHECK_EQ(collector("report a.tprof -o b.txt"), 0);
    CHECK_STR(text_of("out"), "");
    char *again = strdup(text_of("b.txt"));
    CHECK_STR(text_of("a.txt"), again);
    free(again);
}

TEST(record_writes_a_file_and_says_what_to_type_next)
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);

    CHECK_EQ(collector("record --serial port -d 0.3"), 0);
    join_guest(guest);
    CHECK_STR(text_of("out"), "");
    CHECK_CONTAINS("err", "tprof.tprof holds 50 samples");
    CHECK_CONTAINS("err", "collector report tprof.tprof");
    CHECK_EQ(collector("report tprof.tprof --format folded"), 0);
    CHECK_STR(text_of("out"), "core0;0x400100 50\n");
}

/* Catches: a report on 2 of 15 s, without a word of why */
TEST(guest_that_leaves_before_its_time_is_told)
{
    enter_dir();
    pid_t guest = start_guest("port", play_leaving);

    CHECK_EQ(collector("--serial port -d 15"), 0);
    join_guest(guest);
    CHECK_CONTAINS("err", "the guest left port before the 15 s were over");
    CHECK_CONTAINS("out", "50 samples of 1 core");
}

TEST(ctrl_c_ends_with_the_report) /* catches: a signal that loses everything */
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);
    pid_t pid = start_collector("--serial port -o a.tprof");

    wait_for_size("a.tprof", 500);
    CHECK_EQ(kill(pid, SIGINT), 0);
    CHECK_EQ(join_collector(pid), 0);
    join_guest(guest);
    CHECK_CONTAINS("out", "50 samples of 1 core");
    CHECK(!contains("out", "no final count arrived"));
}

TEST(ctrl_c_waits_a_second_for_the_final_counters)
{
    enter_dir();
    pid_t guest = start_guest("port", play_silent);
    pid_t pid = start_collector("--serial port -o a.tprof --details");

    wait_for_size("a.tprof", 500);
    double start = now();
    CHECK_EQ(end_collector(pid), 0);
    CHECK(now() - start > 0.5 && now() - start < 3);
    join_guest(guest);
    CHECK_CONTAINS("out", "50 samples of 1 core");
    CHECK_CONTAINS("out", "no final count arrived");
}

TEST(second_ctrl_c_ends_at_once)
{
    enter_dir();
    pid_t guest = start_guest("port", play_silent);
    pid_t pid = start_collector("--serial port -o a.tprof --details");

    wait_for_size("a.tprof", 500);
    CHECK_EQ(kill(pid, SIGINT), 0);
    (void)poll(NULL, 0, 550);
    CHECK_EQ(kill(pid, SIGINT), 0);
    CHECK_EQ(join_collector(pid), 1); /* after the final counters: 0 */
    join_guest(guest);
    CHECK_STR(text_of("out"), "");
    CHECK_CONTAINS("err", "left without a report");
    CHECK_EQ(collector("report a.tprof"), 0); /* what there was is there */
}

TEST(terminal_shows_one_progress_line)
{
    char text[4096] = "";
    size_t used = 0;
    int master = posix_openpt(O_RDWR | O_NOCTTY);

    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        SKIP("no pseudo terminals here");
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    CHECK(terminal >= 0);
    enter_dir();
    pid_t guest = start_guest("port", play_50);
    CHECK_EQ(
        join_collector(start_collector_at("--serial port -d 1.5", terminal)),
        0);
    join_guest(guest);
    close(terminal);
    for (;;) {
        ssize_t n = read(master, text + used, sizeof text - 1 - used);

        if (n <= 0)
            break;
        used += (size_t)n;
    }
    CHECK(strstr(text, "\r\033[K50 samples, ") != NULL);
    CHECK(strstr(text, "0.00 % lost") != NULL);
    CHECK(strchr(text, '\n') == NULL);               /* one line */
    CHECK(strcmp(text + used - 4, "\r\033[K") == 0); /* and then none */
}

TEST(mistakes_have_their_exit_codes)
{
    enter_dir();
    CHECK_EQ(collector("--nonsense"), 2);
    CHECK_CONTAINS("err", "'collector help live' lists all");
    CHECK_EQ(collector(""), 2);
    CHECK_EQ(collector("record"), 2);
    CHECK_EQ(collector("report"), 2);
    CHECK_EQ(collector("report a.tprof -o b.tprof --core 1"), 2);
    CHECK_EQ(collector("report a.tprof -o b.dot"), 2);
    CHECK_CONTAINS("err", "formats are tprof, txt, folded");
    CHECK_EQ(collector("report a.tprof"), 1); /* there is no such file */
    CHECK_CONTAINS("err", "a.tprof");
    CHECK_EQ(collector("--serial port --elf nowhere.elf"), 1);
    CHECK_STR(text_of("err"),
              "collector: nowhere.elf: No such file or directory\n");
    CHECK_EQ(collector("--version"), 0);
    CHECK_EQ(collector("--help"), 0);
    CHECK_CONTAINS("out", "--serial tprof.sock");
    CHECK_EQ(collector("record --help"), 0);
    CHECK_EQ(collector("report --help"), 0);
    CHECK_CONTAINS("out", "--core LIST");
}

TEST(full_disk_is_an_error) /* catches: a report that is silently cut */
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);

    if (access("/dev/full", W_OK) != 0)
        SKIP("no /dev/full here");
    CHECK_EQ(collector("--serial port -d 0.3 -o a.tprof"), 0);
    join_guest(guest);
    CHECK_EQ(collector("report a.tprof -o /dev/full --format txt"), 1);
    CHECK_CONTAINS("err", "/dev/full: No space left");
    CHECK(unlink("out") == 0 && symlink("/dev/full", "out") == 0);
    CHECK_EQ(collector("report a.tprof"), 1);
    CHECK_CONTAINS("err", "standard output: No space left");
}
