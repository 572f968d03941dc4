/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of collector serve while a crowd of clients is there that are
 * silent, slow, or half gone: whoever asks in a whole sentence is answered
 * meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "paged.h"

#define CROWD_MAX 1000
#define PROBES    10
#define PROBE_MS  1000 /* an answer takes at most */
#define BEGINNING "GET /metrics HTTP/1.1\r\nHost: loc"

static pid_t serve;

static void begin(void)
{
    struct rlimit files = {0};

    need_page();
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
    if (files.rlim_max < CROWD_MAX + 64)
        SKIP("not so many open files: ulimit -n 1100");
    files.rlim_cur = files.rlim_max;
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
    serve = start_collector("serve --watch run --listen 127.0.0.1:0");
    (void)address();
}

static void end(void)
{
    CHECK_EQ(end_collector(serve), 0);
}

static int now_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int)(t.tv_sec * 1000 + t.tv_nsec / 1000000);
}

/* A connection that need not be there yet. */
static int come(const struct sockaddr_in *at)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    CHECK(fd >= 0);
    if (connect(fd, (const struct sockaddr *)at, sizeof *at) == 0 ||
        errno == EINPROGRESS)
        return fd;
    (void)close(fd);
    return -1;
}

/* Ask PROBES times; each answer comes in time. */
static void probe(void)
{
    int worst = 0;

    for (int i = 0; i < PROBES; i++) {
        int began = now_ms(), took;

        ask("/healthz");
        took = now_ms() - began;
        CHECK_CONTAINS("answer", "HTTP/1.1 200 OK");
        worst = took > worst ? took : worst;
        rest();
    }
    (void)printf("the slowest of %d answers took %d ms\n", PROBES, worst);
    CHECK(worst < PROBE_MS);
}

/* (count) clients that send a byte now and then, and come again when they were
 * sent away. */
static pid_t start_slow(int count)
{
    struct sockaddr_in at = address();
    pid_t pid = fork();
    int fds[CROWD_MAX];

    CHECK(pid >= 0);
    if (pid != 0)
        return pid;
    (void)alarm(30);
    for (int i = 0; i < count; i++)
        fds[i] = come(&at);
    for (size_t turn = 0;; turn++) {
        for (int i = 0; i < count; i++) {
            char c;

            if (fds[i] >= 0 && recv(fds[i], &c, 1, MSG_DONTWAIT) != 0 &&
                send(fds[i], &BEGINNING[turn % (sizeof BEGINNING - 1)], 1,
                     MSG_NOSIGNAL) >= 0)
                continue;
            if (fds[i] >= 0)
                (void)close(fds[i]);
            fds[i] = come(&at);
        }
        rest();
    }
}

static void check_slow(int count)
{
    begin();
    pid_t crowd = start_slow(count);

    for (int i = 0; i < 50; i++)
        rest(); /* all are there */
    probe();
    CHECK_EQ(kill(crowd, SIGKILL), 0);
    CHECK_EQ(waitpid(crowd, NULL, 0), crowd);
    end();
}

/* Catches: places that whoever comes first keeps */
TEST(slow_clients_that_come_again_keep_nobody)
{
    check_slow(64);
}

TEST(many_slow_clients_keep_nobody)
{
    check_slow(200);
}

TEST(silent_connections_keep_nobody)
{
    struct sockaddr_in at;
    int fds[CROWD_MAX];

    begin();
    at = address();
    for (int i = 0; i < CROWD_MAX; i++)
        fds[i] = come(&at);
    probe();
    for (int i = 0; i < CROWD_MAX; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    end();
}

/* When the other end of (fd) is closed, in ms from (began) on. */
static int wait_for_end(int fd, int began)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char scrap[256];

    while (poll(&p, 1, 15000) == 1)
        if (read(fd, scrap, sizeof scrap) <= 0)
            return now_ms() - began;
    return now_ms() - began;
}

/* Catches: a client that has said that it says no more, and keeps its place */
TEST(half_closed_request_ends_at_once)
{
    struct sockaddr_in at;
    int began, fd;

    begin();
    at = address();
    fd = reach(&at);
    CHECK_EQ(write(fd, BEGINNING, sizeof BEGINNING - 1), sizeof BEGINNING - 1);
    began = now_ms();
    CHECK_EQ(shutdown(fd, SHUT_WR), 0);
    CHECK(wait_for_end(fd, began) < PROBE_MS);
    (void)close(fd);
    /* one that is whole is answered all the same */
    fd = reach(&at);
    CHECK_EQ(write(fd, BEGINNING "alhost\r\n\r\n", sizeof BEGINNING + 9),
             sizeof BEGINNING + 9);
    CHECK_EQ(shutdown(fd, SHUT_WR), 0);
    char answer[16] = "";

    CHECK_EQ(recv(fd, answer, 15, MSG_WAITALL), 15);
    CHECK_EQ(strcmp(answer, "HTTP/1.1 200 OK"), 0);
    (void)close(fd);
    end();
}

/* Headers have three seconds, and are not waited for longer. */
TEST(headers_have_a_bounded_time)
{
    struct sockaddr_in at;
    int began, fd, took;

    begin();
    at = address();
    began = now_ms();
    fd = reach(&at);
    CHECK_EQ(write(fd, BEGINNING, sizeof BEGINNING - 1), sizeof BEGINNING - 1);
    took = wait_for_end(fd, began);
    CHECK(took >= 2900 && took < 5000);
    (void)close(fd);
    end();
}
