/* SPDX-License-Identifier: BSD-2-Clause */
/* `collector top` at a terminal that does what terminals can do to it. */
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

/* More than a socket holds, and longer than two pictures are apart. */
#define BYTES_SENT   (1u << 20)
#define SECONDS_SENT 3

#define CTRL_S "\x13"
#define CTRL_Q "\x11"

static void wait_for_file(const char *name)
{
    while (access(name, F_OK) != 0)
        (void)usleep(10000);
}

/* 50 samples; when the terminal is stopped, more than could wait anywhere. */
static void play_on(int listener)
{
    uint64_t bytes = 0, samples = 50;
    int fd = meet(listener);
    time_t begin;

    begin_session(fd, 1, NULL, samples);
    wait_for_file("stopped");
    begin = time(NULL);
    while (bytes < BYTES_SENT || time(NULL) - begin <= SECONDS_SENT) {
        say_samples(fd, 50, samples);
        samples += 50;
        bytes += 50 * 2; /* a sample has more */
    }
    write_text("sent", "");
    while (hear(fd))
        ;
}

/* Read the terminal until it has shown (what). */
static void see(int master, const char *what)
{
    static char shown[1u << 20];
    size_t used = 0;

    while (used < sizeof shown - 1) {
        ssize_t n = read(master, shown + used, sizeof shown - 1 - used);

        CHECK(n > 0);
        used += (size_t)n;
        shown[used] = '\0';
        if (memmem(shown, used, what, strlen(what)) != NULL)
            return;
    }
    check_failed(__FILE__, __LINE__, "the terminal never showed %s", what);
}

static void type(int master, const char *keys)
{
    CHECK_EQ(write(master, keys, strlen(keys)), strlen(keys));
}

/* Start top with (args), which begin with "top". */
static pid_t start_top(int *master, const char *const *args)
{
    const struct winsize size = {.ws_row = 40, .ws_col = 80};
    pid_t pid = forkpty(master, NULL, NULL, &size);

    CHECK(pid >= 0);
    if (pid == 0) {
        (void)alarm(60);
        (void)setenv("TERM", "xterm", 1);
        (void)execv(COLLECTOR, (char *const *)(uintptr_t)args);
        _exit(127);
    }
    return pid;
}

static void leave(int master, pid_t top)
{
    int status;

    type(master, "q");
    while (read(master, (char[4096]){0}, 4096) > 0)
        ;
    CHECK_EQ(waitpid(top, &status, 0), top);
    CHECK_EQ(status, 0);
    (void)close(master);
}

/* Catches: a guest that loses samples since somebody typed Ctrl-S, or an ssh
 * stalls */
TEST(guest_is_read_while_nobody_reads_the_terminal)
{
    int master;

    enter_dir();
    pid_t guest = start_guest("port", play_on);
    pid_t top =
        start_top(&master, (const char *[]){COLLECTOR, "top", "--serial",
                                            "port", "--sandbox=off", NULL});

    see(master, "50 samples, none lost");
    type(master, CTRL_S);
    write_text("stopped", "");
    wait_for_file("sent"); /* all of it was read */
    type(master, CTRL_Q);
    see(master, "none lost");
    leave(master, top);
    join_guest(guest);
}

/* The golden scene (name) is played by top, which has shown all samples. */
static pid_t play_scene(int *master, const char *name)
{
    char command[4096];

    (void)snprintf(command, sizeof command, "'%s' %s >%s.wire", SCENES, name,
                   name);
    CHECK_EQ(system(command), 0); /* NOLINT(cert-env33-c) */
    (void)snprintf(command, sizeof command, "%s.wire", name);

    pid_t top = start_top(master, (const char *[]){COLLECTOR, "top", command,
                                                   "--sandbox=off", NULL});
    see(*master, "end]");
    return top;
}

/* Catches: a key that shows the table of another key, or none */
TEST(keys_show_the_tables_of_threads_requests_and_locks)
{
    int master;

    enter_dir();
    pid_t top = play_scene(&master, "requests");
    type(master, "R");
    see(master, "SLOWEST REQUESTS");
    type(master, "T");
    see(master, "WAITS OF THREADS");
    type(master, "q");
    type(master, "L");
    see(master, "the kernel reports no locks");
    leave(master, top);

    top = play_scene(&master, "locks");
    type(master, "L");
    see(master, "of 300 ms held, holders were ready for 90 ms");
    type(master, "q");
    type(master, "R");
    see(master, "the kernel reports no requests");
    leave(master, top);
}
