/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/pager.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_SIZE 1024

/*
 * A child waits for the first text and then becomes the pager. The sandbox
 * forbids waiting for children. So the pager inherits the write end of a pipe
 * to which nothing is written, and the pipe closes when the pager ends.
 */
static int end_fd = -1; /* closes when the pager ends */

/* NULL: none is wanted. */
static const char *pager_command(void)
{
    const char *pager = getenv("TPROF_PAGER");

    if (pager == NULL)
        pager = getenv("PAGER");
    if (pager == NULL)
        pager = "less";
    return *pager == '\0' || strcmp(pager, "cat") == 0 ||
                   strlen(pager) > COMMAND_SIZE - 16
               ? NULL
               : pager;
}

/* Ignore the signals that end sampling, or stop ignoring them. The terminal
 * sends them to all its processes, but until there is text they are meant for
 * the collector only. The collector blocks these signals, so the child must
 * unblock them: an ignored signal that is blocked stays pending. */
static void ignore_ends(bool ignored)
{
    sigset_t none;

    (void)signal(SIGINT, ignored ? SIG_IGN : SIG_DFL);
    (void)signal(SIGTERM, ignored ? SIG_IGN : SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Become (pager), which reads (text). Runs in the child. */
static void run(const char *pager, int text)
{
    struct pollfd first = {.fd = text, .events = POLLIN};
    char line[COMMAND_SIZE];

    ignore_ends(true);
    while (poll(&first, 1, -1) < 0)
        ;
    if ((first.revents & POLLIN) == 0)
        _exit(0); /* there is no text to show */
    ignore_ends(false);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)setenv("LESS", "FRX", 0);
    /* if the pager cannot start, cat shows the text */
    (void)snprintf(line, sizeof line, "%s || cat", pager);
    if (dup2(text, STDIN_FILENO) >= 0)
        (void)execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

void pager_start(void)
{
    const char *pager = pager_command();
    int text[2], end[2];

    if (pager == NULL || pipe2(text, O_CLOEXEC) != 0)
        return;
    if (pipe(end) != 0) {
        (void)close(text[0]);
        (void)close(text[1]);
        return;
    }
    pid_t child = fork();

    if (child == 0) {
        (void)close(text[1]);
        (void)close(end[0]);
        run(pager, text[0]);
    }
    (void)close(text[0]);
    (void)close(end[1]);
    if (child < 0 || dup2(text[1], STDOUT_FILENO) < 0)
        (void)close(end[0]);
    else
        end_fd = end[0];
    (void)close(text[1]);
}

void pager_end(void)
{
    char byte;

    if (end_fd < 0)
        return;
    (void)fflush(stdout);
    (void)close(STDOUT_FILENO);
    (void)signal(SIGINT, SIG_IGN); /* the signal is for the pager */
    while (read(end_fd, &byte, 1) < 0)
        ;
    (void)close(end_fd);
    end_fd = -1;
}
