/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector as its user has it: the program itself, on a socket behind
 * which a child process plays the guest, with signals and a terminal.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "tprof_wire.h"
#include "wiregen.h"

static struct wiregen wire;

/* Work in an empty directory, which is left to the case's end. */
static char dir[] = "/tmp/test_collector.XXXXXX";

static void remove_dir(void)
{
    static const char *const files[] = {"port",    "out",        "err",
                                        "a.tprof", "a.folded",   "a.txt",
                                        "b.txt",   "tprof.tprof"};

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(files[i]);
    rmdir(dir);
}

static void enter_dir(void)
{
    CHECK(mkdtemp(dir) != NULL && chdir(dir) == 0);
    CHECK_EQ(atexit(remove_dir), 0);
}

/* The text of file (name) of the directory; it lives until the next call. */
static const char *text_of(const char *name)
{
    static char text[65536];
    FILE *f = fopen(name, "r");

    CHECK(f != NULL);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static int contains(const char *name, const char *what)
{
    return strstr(text_of(name), what) != NULL;
}

/* The guest */

static void say(int fd)
{
    CHECK_EQ(write(fd, wire.bytes, wire.size), (ssize_t)wire.size);
    wire.size = 0;
}

static void say_samples(int fd)
{
    struct wiregen_samples s = {.shift = 4, .period = 8000, .epoch = 1};

    wiregen_samples_begin(&wire, &s);
    wiregen_stack(&wire, &(struct wiregen_stack){.id = 1});
    for (int i = 0; i < 50; i++)
        wiregen_short(&wire, 1, 8000, 0x100, 0);
    wiregen_samples_end(&wire, (uint64_t[4]){50, 0, 0, 0});
    say(fd);
}

/* HELLO; samples when START comes; with (answers) the last words after STOP,
 * else nothing more until the collector leaves. */
static void play(int fd, int answers)
{
    char bytes[64];

    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 1,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = 0x400000});
    say(fd);
    CHECK(read(fd, bytes, sizeof bytes) > 0);
    say_samples(fd);
    CHECK(read(fd, bytes, sizeof bytes) > 0);
    if (answers) {
        wiregen_stats(&wire, &(struct wiregen_stats){
                                 .flags = WIRE_STATS_FINAL | WIRE_STATS_STARTED,
                                 .counters = {50, 0, 0, 0}});
        wiregen_open(&wire, WIRE_STATUS);
        wiregen_field(&wire, WIRE_CONTROL_STATE, WIRE_STATE_STOPPED, 1);
        wiregen_close(&wire);
        say(fd);
    }
    while (read(fd, bytes, sizeof bytes) > 0)
        continue;
}

static pid_t start_guest(int answers)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "port"};
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);

    CHECK_EQ(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_EQ(listen(listener, 1), 0);
    fflush(stdout);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        alarm(20);
        play(accept(listener, NULL, NULL), answers);
        _exit(0); /* leaves the directory to its owner */
    }
    close(listener);
    return pid;
}

static void join_guest(pid_t guest)
{
    int status;

    CHECK_EQ(waitpid(guest, &status, 0), guest);
    CHECK_EQ(status, 0);
}

/* The collector */

/* Start it with (line)'s words, output to the files out and err; with
 * (terminal) its errors go to that descriptor. */
static pid_t start_collector(const char *line, int terminal)
{
    char copy[256];
    char *argv[32] = {(char[]){"collector"}};
    int argc = 1;
    pid_t pid;

    (void)snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok(copy, " "); w != NULL; w = strtok(NULL, " "))
        argv[argc++] = w;
    fflush(stdout);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int err = terminal >= 0
                      ? terminal
                      : open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600);

        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        alarm(20);
        execv(COLLECTOR, argv);
        _exit(99);
    }
    return pid;
}

static int join_collector(pid_t pid)
{
    int status;

    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int collector(const char *line)
{
    return join_collector(start_collector(line, -1));
}

/* Wait until the recording holds (size) bytes: then the samples are in. */
static void wait_for(const char *name, long size)
{
    for (int i = 0; i < 1000; i++) {
        FILE *f = fopen(name, "r");
        long have = 0;

        if (f != NULL && fseek(f, 0, SEEK_END) == 0)
            have = ftell(f);
        if (f != NULL)
            fclose(f);
        if (have >= size)
            return;
        (void)poll(NULL, 0, 10);
    }
    check_failed(__FILE__, __LINE__, "%s did not grow", name);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

TEST(a_run_prints_its_report_and_leaves_its_files)
{
    enter_dir();
    pid_t guest = start_guest(1);

    CHECK_EQ(collector("--serial port -d 0.3 -o a.tprof -o a.folded "
                       "-o a.txt"),
             0);
    join_guest(guest);
    CHECK(contains("out", "50 samples of 1 core"));
    CHECK(contains("out", "0x400100"));
    CHECK_STR(text_of("err"), ""); /* catches: progress in a pipe */
    CHECK_STR(text_of("a.folded"), "core0;0x400100 50\n");

    /* the recording makes the same, to the byte */
    CHECK_EQ(collector("report a.tprof -o b.txt"), 0);
    CHECK_STR(text_of("out"), "");
    char *again = strdup(text_of("b.txt"));
    CHECK_STR(text_of("a.txt"), again);
    free(again);
}

TEST(record_writes_a_file_and_says_what_is_next)
{
    enter_dir();
    pid_t guest = start_guest(1);

    CHECK_EQ(collector("record --serial port -d 0.3"), 0);
    join_guest(guest);
    CHECK_STR(text_of("out"), "");
    CHECK(contains("err", "tprof.tprof holds 50 samples"));
    CHECK(contains("err", "collector report tprof.tprof"));
    CHECK_EQ(collector("report tprof.tprof --format folded"), 0);
    CHECK_STR(text_of("out"), "core0;0x400100 50\n");
}

TEST(ctrl_c_brings_the_report) /* catches: a signal that loses everything */
{
    enter_dir();
    pid_t guest = start_guest(1);
    pid_t pid = start_collector("--serial port -o a.tprof", -1);

    wait_for("a.tprof", 500);
    CHECK_EQ(kill(pid, SIGINT), 0);
    CHECK_EQ(join_collector(pid), 0);
    join_guest(guest);
    CHECK(contains("out", "50 samples of 1 core"));
    CHECK(!contains("out", "no final count came"));
}

TEST(ctrl_c_waits_a_second_for_last_words)
{
    enter_dir();
    pid_t guest = start_guest(0);
    pid_t pid = start_collector("--serial port -o a.tprof", -1);

    wait_for("a.tprof", 500);
    double start = now();
    CHECK_EQ(kill(pid, SIGTERM), 0);
    CHECK_EQ(join_collector(pid), 0);
    CHECK(now() - start > 0.5 && now() - start < 3);
    join_guest(guest);
    CHECK(contains("out", "50 samples of 1 core"));
    CHECK(contains("out", "no final count came"));
}

TEST(second_ctrl_c_leaves_at_once)
{
    enter_dir();
    pid_t guest = start_guest(0);
    pid_t pid = start_collector("--serial port -o a.tprof", -1);

    wait_for("a.tprof", 500);
    double start = now();
    CHECK_EQ(kill(pid, SIGINT), 0);
    (void)poll(NULL, 0, 100);
    CHECK_EQ(kill(pid, SIGINT), 0);
    CHECK_EQ(join_collector(pid), 1);
    CHECK(now() - start < 0.9);
    join_guest(guest);
    CHECK_STR(text_of("out"), "");
    CHECK(contains("err", "left without a report"));
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
    pid_t guest = start_guest(1);
    CHECK_EQ(join_collector(start_collector("--serial port -d 1.5", terminal)),
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
    CHECK(contains("err", "--help"));
    CHECK_EQ(collector(""), 2);
    CHECK_EQ(collector("record"), 2);
    CHECK_EQ(collector("report"), 2);
    CHECK_EQ(collector("report a.tprof -o b.tprof"), 2);
    CHECK_EQ(collector("report a.tprof -o b.svg"), 2);
    CHECK(contains("err", "formats are tprof, txt, folded"));
    CHECK_EQ(collector("report a.tprof"), 1); /* there is no such file */
    CHECK(contains("err", "a.tprof"));
    CHECK_EQ(collector("--serial port --elf nowhere.elf"), 1);
    CHECK_STR(text_of("err"),
              "collector: nowhere.elf: No such file or directory\n");
    CHECK_EQ(collector("--version"), 0);
    CHECK_EQ(collector("--help"), 0);
    CHECK(contains("out", "--serial PATH"));
    CHECK_EQ(collector("record --help"), 0);
    CHECK_EQ(collector("report --help"), 0);
    CHECK(contains("out", "--core N"));
}

TEST(full_disk_is_an_error) /* catches: a report that is silently cut */
{
    enter_dir();
    pid_t guest = start_guest(1);

    if (access("/dev/full", W_OK) != 0)
        SKIP("no /dev/full here");
    CHECK_EQ(collector("--serial port -d 0.3 -o a.tprof"), 0);
    join_guest(guest);
    CHECK_EQ(collector("report a.tprof -o /dev/full --format txt"), 1);
    CHECK(contains("err", "/dev/full: No space left"));
    CHECK(unlink("out") == 0 && symlink("/dev/full", "out") == 0);
    CHECK_EQ(collector("report a.tprof"), 1);
    CHECK(contains("err", "standard output: No space left"));
}
