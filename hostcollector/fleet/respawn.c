/* SPDX-License-Identifier: BSD-2-Clause */
/* Restarts a child process whenever it exits. */
#include "fleet/respawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fleet/backoff.h"
#include "util/host_clock.h"

#define LEAST_MS 1000u /* shortest time between two starts */
/* a process that has run this long counts as healthy */
#define CALM_NS  (60 * UINT64_C(1000000000))

/* Wait for (child), and reap other children that exit meanwhile. Stores the
 * reason for the exit in (e). */
static void wait_for(pid_t child, struct err *e)
{
    int status = 0;
    pid_t ended;

    do
        ended = waitpid(-1, &status, 0);
    while (ended != child && (ended > 0 || errno == EINTR));
    if (WIFSIGNALED(status))
        (void)err_set(e, "ended by signal %d, %s", WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    else
        (void)err_set(e, "ended with status %d", WEXITSTATUS(status));
}

static void keep(const struct respawner *k, int stop)
{
    struct pollfd over = {.fd = stop, .events = POLLIN};
    unsigned failures = 0;

    for (;;) {
        uint64_t began = clock_ns(), wait_ms;
        struct err e = {""};
        pid_t child = k->start(k->context, stop, &e);

        if (child > 0)
            wait_for(child, &e);
        failures = clock_ns() - began < CALM_NS ? failures + 1 : 1;
        wait_ms = backoff_ms(failures, (uint32_t)began >> 8, LEAST_MS);
        if (poll(&over, 1, (int)wait_ms) != 0)
            return;
        k->again(k->context);
        (void)fprintf(stderr, "collector serve: %s is started again: %s\n",
                      k->what, e.text);
    }
}

int respawn_start(const struct respawner *k, struct err *e)
{
    /* only this process has the second end, so its exit closes the pipe */
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_sys(e, "pipe");
    child = fork();
    if (child == 0) {
        (void)close(ends[1]);
        (void)setsid(); /* signals of the terminal are for the collector */
        (void)signal(SIGCHLD, SIG_DFL); /* an inherited handler may differ */
        keep(k, ends[0]);
        if (k->end != NULL)
            k->end(k->context);
        _exit(0);
    }
    (void)close(ends[0]);
    if (child > 0)
        return 0;
    (void)err_sys(e, "fork");
    (void)close(ends[1]);
    return -1;
}
