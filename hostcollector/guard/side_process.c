/* SPDX-License-Identifier: BSD-2-Clause */
#include "guard/side_process.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t side_process_fork(void)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGSYS);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();

    if (child != 0)
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return child;
}

void side_process_keep(int fd)
{
    side_process_keep_both(fd, fd);
}

void side_process_keep_both(int one, int other)
{
    int last = one > other ? one : other;

    for (int i = STDERR_FILENO + 1; i < last; i++)
        if (i != one && i != other)
            (void)close(i);
    closefrom(last + 1); /* before Linux 5.9, without close_range(), too */
}

void side_process_end(pid_t pid)
{
    if (pid <= 0 || waitpid(pid, NULL, WNOHANG) != 0 || kill(pid, SIGKILL) != 0)
        return;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}
