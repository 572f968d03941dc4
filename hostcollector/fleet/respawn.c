/* SPDX-License-Identifier: BSD-2-Clause */
/* All end with the collector: it alone has the other end of a pipe. */
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
#include "util/clock.h"

#define LEAST_MS 1000u                       /* between two starts */
#define CALM_NS  (60 * UINT64_C(1000000000)) /* after that all is well again */

/* Wait for (child), and for others that end meanwhile. Say in (e) how it has
 * ended. */
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
    int ends[2]; /* the second one is closed by the end of this process alone */
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_sys(e, "pipe");
    child = fork();
    if (child == 0) {
        (void)close(ends[1]);
        (void)setsid(); /* the terminal's signals are the collector's */
        (void)signal(SIGCHLD, SIG_DFL); /* whatever was inherited */
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
