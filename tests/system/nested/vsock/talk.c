/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Talks over vsock and Unix sockets, for tests in the machine of
 * tests/system/nested/run.
 *
 *   talk echo ADDRESS          accepts, and sends back what comes; for ever
 *   talk join ADDRESS OTHER    accepts, and joins that connection with one to
 *                              OTHER; for ever
 *   talk pour ADDRESS BYTES    connects, sends so many bytes, and checks that
 *                              they come back
 *
 * ADDRESS: vsock:CID:PORT, unix:PATH, or uds:PATH:PORT, the guest's port behind
 * a VMM's socket. Exit status 0 or, with the reason, 1.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#define CHUNK 65536

union any {
    struct sockaddr sa;
    struct sockaddr_vm vm;
    struct sockaddr_un un;
};

_Noreturn static void die(const char *what)
{
    fprintf(stderr, "talk: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* (text) as an address; (*port) of uds:, else NULL. A socket of its kind. */
static int parse(const char *text, union any *a, socklen_t *size,
                 const char **port)
{
    const char *path = strchr(text, ':') + 1;
    const char *colon = strrchr(text, ':');
    size_t length = strlen(path);

    *port = NULL;
    memset(a, 0, sizeof *a);
    if (strncmp(text, "vsock:", 6) == 0) {
        a->vm.svm_family = AF_VSOCK;
        a->vm.svm_cid = (uint32_t)strtoul(path, NULL, 10);
        a->vm.svm_port = (uint32_t)strtoul(colon + 1, NULL, 10);
        *size = sizeof a->vm;
        return socket(AF_VSOCK, SOCK_STREAM, 0);
    }
    if (strncmp(text, "uds:", 4) == 0) {
        *port = colon + 1;
        length = (size_t)(colon - path);
    }
    a->un.sun_family = AF_UNIX;
    if (length >= sizeof a->un.sun_path)
        exit(1);
    memcpy(a->un.sun_path, path, length);
    *size = sizeof a->un;
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int serve(const char *text)
{
    const char *port;
    union any a;
    socklen_t size;
    int sock = parse(text, &a, &size, &port);

    if (sock < 0 || bind(sock, &a.sa, size) < 0 || listen(sock, 8) < 0)
        die(text);
    return sock;
}

/* "CONNECT port", and the answer, which ends with its line. */
static void ask(int sock, const char *port)
{
    char line[32];
    char c = 0;

    snprintf(line, sizeof line, "CONNECT %s\n", port);
    if (write(sock, line, strlen(line)) < 0)
        die("CONNECT");
    while (c != '\n')
        if (read(sock, &c, 1) != 1)
            die("no answer to CONNECT");
}

static int reach(const char *text)
{
    const char *port;
    union any a;
    socklen_t size;
    int sock = parse(text, &a, &size, &port);

    if (sock < 0 || connect(sock, &a.sa, size) < 0)
        die(text);
    if (port != NULL)
        ask(sock, port);
    return sock;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

/* Copy bytes both ways between (one) and (other), until both have ended or one
 * is broken. */
static void join(int one, int other)
{
    static char bytes[CHUNK];
    int fd[2] = {one, other};
    bool open[2] = {true, true};

    while (open[0] || open[1]) {
        struct pollfd p[2] = {{open[0] ? one : -1, POLLIN, 0},
                              {open[1] ? other : -1, POLLIN, 0}};

        if (poll(p, 2, -1) < 0)
            return;
        for (int i = 0; i < 2; i++) {
            if (p[i].revents == 0)
                continue;
            ssize_t n = read(fd[i], bytes, sizeof bytes);

            if (n < 0 || (n > 0 && !write_all(fd[!i], bytes, (size_t)n)))
                return;
            if (n == 0) {
                open[i] = false;
                shutdown(fd[!i], SHUT_WR);
            }
        }
    }
}

static void echo(int sock)
{
    static char bytes[CHUNK];
    ssize_t n;

    while ((n = read(sock, bytes, sizeof bytes)) > 0)
        if (!write_all(sock, bytes, (size_t)n))
            return;
}

/* Byte (i) of what pour() sends: no block of it looks like another. */
static char pattern(uint64_t i)
{
    return (char)((i * 0x9e3779b97f4a7c15u) >> 56);
}

/* Sends what fits of (bytes) from (sent) on. */
static uint64_t pour_some(int sock, uint64_t sent, uint64_t bytes)
{
    static char out[CHUNK];
    uint64_t left = bytes - sent < sizeof out ? bytes - sent : sizeof out;
    ssize_t n;

    for (uint64_t i = 0; i < left; i++)
        out[i] = pattern(sent + i);
    n = send(sock, out, left, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN)
        die("send");
    if (n > 0)
        sent += (uint64_t)n;
    if (sent == bytes)
        shutdown(sock, SHUT_WR);
    return sent;
}

static void pour(int sock, uint64_t bytes)
{
    static char in[CHUNK];
    uint64_t sent = 0, back = 0;
    ssize_t n = 1;

    while (n != 0) {
        short wants = (short)(POLLIN | (sent < bytes ? POLLOUT : 0));
        struct pollfd p = {sock, wants, 0};

        if (poll(&p, 1, -1) < 0)
            die("poll");
        if (p.revents & POLLOUT && sent < bytes)
            sent = pour_some(sock, sent, bytes);
        if (!(p.revents & (POLLIN | POLLHUP)))
            continue;
        n = read(sock, in, sizeof in);
        if (n < 0)
            die("read");
        for (ssize_t i = 0; i < n; i++, back++)
            if (in[i] != pattern(back)) {
                fprintf(stderr, "talk: byte %lu differs\n",
                        (unsigned long)back);
                exit(1);
            }
    }
    printf("talk: %lu of %lu bytes came back\n", (unsigned long)back,
           (unsigned long)bytes);
    exit(back != bytes);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "pour") == 0)
        pour(reach(argv[2]), strtoull(argv[3], NULL, 10));
    if (argc < 3)
        return 2;
    int listener = serve(argv[2]);

    for (;;) {
        int sock = accept(listener, NULL, NULL);

        if (sock < 0)
            die("accept");
        if (argc == 3) {
            echo(sock);
        } else {
            int other = reach(argv[3]);

            join(sock, other);
            close(other);
        }
        close(sock);
    }
}
