/* SPDX-License-Identifier: BSD-2-Clause */
/* Catches the signals that end a command, and releases them. */
#include "cli/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "util/host_clock.h"

static uint64_t deaf_until_ns; /* set before on_end() can run */

/* Signals that request the end. nohup ignores the last one. */
static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

static bool reloads;

static size_t end_count(void)
{
    struct sigaction hangup;
    size_t all = sizeof ends / sizeof ends[0];

    if (reloads)
        return all - 1;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN)
        return all - 1;
    return all;
}

static sigset_t end_set(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    for (size_t i = 0; i < end_count(); i++)
        (void)sigaddset(&set, ends[i]);
    return set;
}

int signals_fill_standard(struct err *e)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY); /* writing to it must be an error */
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd < 0)
        return err_sys(e, "/dev/null");
    (void)close(fd);
    return 0;
}

int signals_catch(struct err *e)
{
    sigset_t set = end_set();

    if (signals_fill_standard(e) != 0)
        return -1;
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return err_sys(e, "sigprocmask");
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);

    return fd < 0 ? err_sys(e, "signalfd") : fd;
}

int signals_reload(struct err *e)
{
    sigset_t set;

    reloads = true;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return err_sys(e, "sigprocmask");
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);

    return fd < 0 ? err_sys(e, "signalfd") : fd;
}

static void on_end(int number)
{
    if (clock_ns() < deaf_until_ns)
        return;
    (void)signal(number, SIG_DFL);
    (void)raise(number); /* the signal arrives when this function returns */
}

void signals_release(int fd, uint64_t until_ns)
{
    struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESTART};
    sigset_t set = end_set();

    deaf_until_ns = until_ns;
    for (size_t i = 0; i < end_count(); i++)
        (void)sigaction(ends[i], &action, NULL);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    if (fd >= 0)
        (void)close(fd);
}
