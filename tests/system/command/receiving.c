/* SPDX-License-Identifier: BSD-2-Clause */
#include "receiving.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "command.h"
#include "spooled.h"

#define LIMIT_S 100 /* of push, which is killed then */

pid_t receiving_start(int *listener)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    char to[64];

    /* sanitized builds look for leaks by a thread and ptrace */
    CHECK_EQ(setenv("ASAN_OPTIONS", "detect_leaks=0", 1), 0);
    spooled_begin(1, BUILD);
    spooled_play(2);
    *listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_EQ(bind(*listener, (struct sockaddr *)&at, size), 0);
    CHECK_EQ(listen(*listener, 4), 0);
    CHECK_EQ(getsockname(*listener, (struct sockaddr *)&at, &size), 0);
    (void)snprintf(to, sizeof to, "pyroscope+http://127.0.0.1:%u/",
                   ntohs(at.sin_port));
    pid_t push = fork();

    CHECK(push >= 0);
    if (push != 0)
        return push;
    (void)alarm(LIMIT_S);
    if (freopen("out", "w", stdout) != NULL &&
        freopen("err", "w", stderr) != NULL)
        (void)execl(COLLECTOR, "collector", "push", "--to", to, "--wait", "0",
                    has_landlock() ? "--sandbox=required" : "--sandbox=off",
                    "spool", (char *)NULL);
    _exit(127);
}

int receiving_meet(int listener)
{
    struct pollfd p = {.fd = listener, .events = POLLIN};
    char byte;

    CHECK_EQ(poll(&p, 1, 20000), 1);
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

    CHECK(fd >= 0);
    CHECK_EQ(recv(fd, &byte, 1, 0), 1);
    return fd;
}

long receiving_pour(int fd, const char *first, const char *again,
                    unsigned pause_us)
{
    const char *text = first;
    long sent = 0;
    ssize_t n;

    while ((n = send(fd, text, strlen(text), MSG_NOSIGNAL)) > 0) {
        sent += n;
        text = again;
        (void)usleep(pause_us);
    }
    (void)close(fd);
    return sent;
}
