/* SPDX-License-Identifier: BSD-2-Clause */
/* What ends a run, and what must not: signals, pipes and closed descriptors. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

#define CLOSED (-1)

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

/* The connection breaks, of which the user is told, and is made again. */
static void play_twice(int listener)
{
    int fd = meet_uds(listener);

    begin_session(fd, 1, NULL, 20);
    close(fd);
    fd = meet_uds(listener);
    say_hello(fd, 1, NULL);
    CHECK(hear(fd));
    say_samples(fd, 30, 20);
    end_session(fd, 50);
}

/* More than fits a file of 8 KiB; what it is does not matter. */
static void play_long(int listener)
{
    static const char noise[16384];
    int fd = meet(listener);

    begin_session(fd, 1, NULL, 50);
    (void)!write(fd, noise, sizeof noise);
    while (hear(fd))
        continue;
}

/* Start the collector with these descriptors for its output. */
static pid_t start_with(const char *line, int out, int err)
{
    char copy[256];
    char *argv[32] = {(char[]){"collector"}};

    CHECK(snprintf(copy, sizeof copy, "%s", line) < (int)sizeof copy);
    split_words(copy, argv + 1, 30);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        (void)close(STDOUT_FILENO);
        (void)close(STDERR_FILENO);
        if (out != CLOSED)
            (void)dup2(out, STDOUT_FILENO);
        if (err != CLOSED)
            (void)dup2(err, STDERR_FILENO);
        alarm(30);
        execv(COLLECTOR, argv);
        _exit(99);
    }
    return pid;
}

/* The writing end of a pipe that nobody reads. */
static int broken_pipe(void)
{
    int ends[2];

    CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
    close(ends[0]);
    return ends[1];
}

/* A pipe that is full; its reader does not read yet. */
static void full_pipe(int ends[2])
{
    static const char some[4096];

    CHECK_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    while (write(ends[1], some, sizeof some) > 0)
        continue;
    CHECK_EQ(fcntl(ends[1], F_SETFL, 0), 0);
}

static int null(void)
{
    return open("/dev/null", O_RDWR | O_CLOEXEC);
}

/* Signals */

TEST(hangup_ends_with_the_report) /* catches: an hour lost with the ssh */
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);
    pid_t pid = start_collector("--serial port -o a.tprof");

    wait_for_size("a.tprof", 500);
    CHECK_EQ(kill(pid, SIGHUP), 0);
    CHECK_EQ(join_collector(pid), 0);
    join_guest(guest);
    CHECK_CONTAINS("out", "50 samples of 1 core");
    CHECK(!contains("out", "no final count arrived"));
}

TEST(hangup_is_ignored_under_nohup) /* catches: a run that nohup was to keep */
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);
    (void)signal(SIGHUP, SIG_IGN);
    pid_t pid = start_collector("--serial port -o a.tprof");

    wait_for_size("a.tprof", 500);
    CHECK_EQ(kill(pid, SIGHUP), 0);
    (void)poll(NULL, 0, 200);
    CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0);
    CHECK_EQ(kill(pid, SIGINT), 0);
    CHECK_EQ(join_collector(pid), 0);
    join_guest(guest);
}

/* Catches: no report, since a supervisor repeats what the terminal has sent */
TEST(two_signals_at_once_are_one)
{
    enter_dir();
    pid_t guest = start_guest("port", play_silent);
    pid_t pid = start_collector("--serial port -o a.tprof");

    wait_for_size("a.tprof", 500);
    CHECK_EQ(kill(pid, SIGINT), 0);
    (void)poll(NULL, 0, 100);
    CHECK_EQ(end_collector(pid), 0);
    join_guest(guest);
    CHECK_CONTAINS("out", "50 samples of 1 core");
}

/* Catches: likewise, where the first signal has long had its effect */
TEST(second_signal_does_not_cut_the_report)
{
    enter_dir();
    CHECK_EQ(mkfifo("a.txt", 0600), 0);
    pid_t guest = start_guest("port", play_50);
    pid_t pid = start_collector("--serial port -o a.tprof -o a.txt");

    wait_for_size("a.tprof", 500);
    CHECK_EQ(kill(pid, SIGINT), 0);
    join_guest(guest); /* sampling is over; the report waits for its reader */
    CHECK_EQ(kill(pid, SIGINT), 0);
    CHECK_CONTAINS("a.txt", "50 samples of 1 core");
    CHECK_EQ(join_collector(pid), 0);
}

TEST(later_signal_ends_a_report) /* catches: a command that cannot be stopped */
{
    int status;

    enter_dir();
    CHECK_EQ(mkfifo("a.txt", 0600), 0);
    pid_t guest = start_guest("port", play_50);
    pid_t pid = start_collector("--serial port -o a.tprof -o a.txt");

    wait_for_size("a.tprof", 500);
    CHECK_EQ(kill(pid, SIGINT), 0);
    join_guest(guest);
    (void)poll(NULL, 0, 550);
    CHECK_EQ(kill(pid, SIGINT), 0);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

/* Descriptors */

TEST(closed_pipe_for_messages_ends_nothing) /* catches: SIGPIPE */
{
    enter_dir();
    pid_t guest = start_guest("vm", play_twice);

    CHECK_EQ(join_collector(start_with("record --vsock-uds vm -d 1", null(),
                                       broken_pipe())),
             0);
    join_guest(guest);
    CHECK_EQ(collector("report tprof.tprof"), 0);
    CHECK_CONTAINS("out", "50 samples of 1 core");
}

/* Catches: words for the user in the middle of a recording */
TEST(closed_standard_error_is_no_recording)
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);
    pid_t pid = start_with("record --serial port", CLOSED, CLOSED);
    char path[32], target[32] = "";

    wait_for_size("tprof.tprof", 500);
    (void)snprintf(path, sizeof path, "/proc/%d/fd/2", (int)pid);
    CHECK(readlink(path, target, sizeof target - 1) > 0);
    CHECK_STR(target, "/dev/null");
    CHECK_EQ(kill(pid, SIGINT), 0);
    CHECK_EQ(join_collector(pid), 0);
    join_guest(guest);
}

TEST(closed_standard_output_is_an_error) /* catches: a report that is nowhere */
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);

    CHECK_EQ(collector("record --serial port -d 0.2"), 0);
    join_guest(guest);
    int err = open("err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    CHECK_EQ(join_collector(start_with("report tprof.tprof", CLOSED, err)), 1);
    CHECK_CONTAINS("err", "standard output: Bad file descriptor");
    close(STDIN_FILENO); /* and what is opened next is another one */
    CHECK_EQ(join_collector(start_with("check " KERNEL, CLOSED, err)), 1);
    CHECK_EQ(occurrences("err", "standard output: Bad file descriptor"), 2);
}

/* Catches: "| head" that costs the other files, or is called an error */
TEST(reader_who_has_enough_is_no_error)
{
    enter_dir();
    pid_t guest = start_guest("port", play_50);

    CHECK_EQ(collector("record --serial port -d 0.2"), 0);
    join_guest(guest);
    int err = open("err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    CHECK_EQ(join_collector(
                 start_with("report tprof.tprof -q -o - --format folded -o a.f",
                            broken_pipe(), err)),
             0);
    CHECK_STR(text_of("err"), "");
    CHECK_STR(text_of("a.f"), "core0;0x400100 50\n");
}

/* Catches: SIGXFSZ, without a word */
TEST(limit_of_file_sizes_is_told)
{
    struct rlimit limit = {8192, 8192};

    enter_dir();
    pid_t guest = start_guest("port", play_long);
    struct rlimit before;

    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit.rlim_max = before.rlim_max;
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CHECK_EQ(collector("record --serial port -d 5"), 1);
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    join_guest(guest);
    CHECK_CONTAINS("err", "'ulimit -f unlimited'");
    (void)collector("report tprof.tprof"); /* with samples or without */
    CHECK_CONTAINS("out", "The recording ends abruptly");
}

/* Catches: samples lost while a pager shows what was said before */
TEST(who_does_not_read_messages_stops_nothing)
{
    char said[65536 + 1] = "";
    int ends[2];

    enter_dir();
    full_pipe(ends);
    pid_t guest = start_guest("vm", play_twice);
    pid_t pid = start_with("record --vsock-uds vm -d 1", null(), ends[1]);

    join_guest(guest); /* it has said all that it has to */
    close(ends[1]);
    while (read(ends[0], said, sizeof said - 1) != 0)
        (void)poll(&(struct pollfd){ends[0], POLLIN, 0}, 1, 1000);
    CHECK_EQ(join_collector(pid), 0);
    CHECK_EQ(collector("report tprof.tprof"), 0);
    CHECK_CONTAINS("out", "50 samples of 1 core");
}
