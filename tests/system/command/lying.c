/* SPDX-License-Identifier: BSD-2-Clause */
/* See lying.h. */
#include "lying.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define OK "HTTP/1.1 200 OK\r\nConnection: close\r\n"

static void send_text(int fd, const char *text)
{
    (void)!write(fd, text, strlen(text));
}

/* Send (text) again and again, each (ms), until nobody takes it. */
static void repeat(int fd, const char *text, size_t size, int ms)
{
    while (write(fd, text, size) > 0)
        (void)poll(NULL, 0, ms);
}

static void send_file(int fd, const char *path)
{
    size_t size;
    const char *bytes = bytes_of(path, &size);

    (void)!write(fd, bytes, size);
}

static void send_elsewhere(int fd, const char *where)
{
    char text[512];

    (void)snprintf(text, sizeof text,
                   "HTTP/1.1 302 Found\r\nLocation: %s\r\n"
                   "Content-Length: 0\r\nConnection: close\r\n\r\n",
                   where);
    send_text(fd, text);
}

static void answer(int fd, enum lie lie, const char *path)
{
    static char zeros[65536], folder[256], url[300], line[1000];

    switch (lie) {
    case LIE_SILENT:
        (void)poll(NULL, 0, -1);
        return;
    case LIE_BODY:
        send_text(fd, OK "\r\n");
        repeat(fd, zeros, sizeof zeros, 0);
        return;
    case LIE_DRIP:
        send_text(fd, OK "Content-Length: 100000\r\n\r\n");
        repeat(fd, "x", 1, 300);
        return;
    case LIE_HEADERS:
        send_text(fd, OK);
        (void)snprintf(line, sizeof line, "X-DEBUGINFOD-Y: %0900d\r\n", 0);
        repeat(fd, line, strlen(line), 0);
        return;
    case LIE_LENGTH:
        send_text(fd, OK "Content-Length: 1152921504606846976\r\n\r\n");
        repeat(fd, zeros, sizeof zeros, 0);
        return;
    case LIE_GZIP:
        send_text(fd, OK "Content-Encoding: gzip\r\n\r\n");
        send_file(fd, "bomb.gz");
        return;
    case LIE_FILE:
        (void)snprintf(url, sizeof url, "file://%s/there",
                       getcwd(folder, sizeof folder));
        send_elsewhere(fd, url);
        return;
    case LIE_CIRCLE:
        send_elsewhere(fd, path);
        return;
    case LIE_WHEN_LOOKED_AT:
        for (int i = 0; i < 1000 && access("go", F_OK) != 0; i++)
            (void)poll(NULL, 0, 10);
        break;
    case LIE_NOT_FOUND:
        break;
    }
    send_text(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n"
                  "Connection: close\r\n\r\n");
}

/* One connection: take its request, and answer. */
static _Noreturn void serve(int fd, enum lie lie)
{
    char request[4096], path[256] = "/";
    size_t used = 0;
    ssize_t n;
    int count = open("requests", O_WRONLY | O_CREAT | O_APPEND, 0600);

    (void)alarm(120);
    while ((n = read(fd, request + used, sizeof request - 1 - used)) > 0) {
        used += (size_t)n;
        request[used] = '\0';
        if (strstr(request, "\r\n\r\n") != NULL)
            break;
    }
    (void)!write(count, ".", 1);
    (void)sscanf(request, "GET %255s", path);
    answer(fd, lie, path);
    _exit(0);
}

static _Noreturn void serve_all(int listener, enum lie lie)
{
    (void)setpgid(0, 0);
    (void)signal(SIGCHLD, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)alarm(200);
    for (;;) {
        int fd = accept(listener, NULL, NULL);

        if (fd >= 0 && fork() == 0)
            serve(fd, lie);
        (void)close(fd);
    }
}

pid_t start_server(enum lie lie)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char url[64];
    pid_t pid;

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK_EQ(bind(listener, (const struct sockaddr *)&at, sizeof at), 0);
    CHECK_EQ(listen(listener, 64), 0);
    CHECK_EQ(getsockname(listener, (struct sockaddr *)&at, &size), 0);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(at.sin_port));
    CHECK_EQ(setenv("DEBUGINFOD_URLS", url, 1), 0);
    CHECK_EQ(setenv("DEBUGINFOD_CACHE_PATH", "cache", 1), 0);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        serve_all(listener, lie);
    (void)setpgid(pid, pid);
    (void)close(listener);
    return pid;
}

void kill_server(pid_t server)
{
    CHECK_EQ(kill(-server, SIGKILL), 0);
    CHECK_EQ(waitpid(server, NULL, 0), server);
}

void write_guest(void)
{
    struct wiregen_samples s = {.shift = 4, .period = 8000, .epoch = 1};

    wiregen_hello(&wire, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 1,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = 0x200000,
                                                 .text_size = 0x127,
                                                 .build_id = KERNEL_ID});
    wiregen_samples_begin(&wire, &s);
    wiregen_stack(&wire, &(struct wiregen_stack){.id = 1});
    for (unsigned i = 0; i < 50; i++)
        wiregen_short(&wire, 1, 8000, 0xd9, 0);
    wiregen_samples_end(&wire, (uint64_t[4]){50, 0, 0, 0});
    write_file("guest", wire.bytes, wire.size);
    wire.size = 0;
}
