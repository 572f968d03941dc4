/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Services over AF_VSOCK, for a Linux guest behind `collector bridge`: a
 * process for each connection. Only inside the machine of
 * tests/system/nested/run: anywhere else a connection might leave the machine.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "services.h"

static uint64_t *broken; /* streams whose reader went away: of all processes */

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "guest: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void write_all(int fd, const void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = write(fd, (const char *)bytes + at, size - at);

        if (n <= 0) {
            __atomic_fetch_add(broken, 1, __ATOMIC_RELAXED);
            exit(0);
        }
        at += (size_t)n;
    }
}

static void serve_count(int fd)
{
    static uint8_t bytes[65536];
    struct services_sum sum = {0, 0};
    ssize_t n;

    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        services_add(&sum, bytes, (size_t)n);
    write_all(fd, &sum, sizeof sum);
}

static void serve_stream(int fd)
{
    static uint8_t bytes[50000];

    for (uint64_t at = 0; at < SERVICES_STREAM; at += sizeof bytes) {
        services_fill(bytes, at, sizeof bytes);
        write_all(fd, bytes, sizeof bytes);
    }
}

static void serve_echo(int fd)
{
    char bytes[4096];
    ssize_t n;

    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        write_all(fd, bytes, (size_t)n);
}

/* Ends its sending first, and then takes all that comes. */
static void serve_half(int fd)
{
    char bytes[4096];

    write_all(fd, "half", 4);
    shutdown(fd, SHUT_WR);
    while (read(fd, bytes, sizeof bytes) > 0)
        ;
}

static void serve(uint32_t port, int fd)
{
    char byte;

    switch (port) {
    case SERVICES_COUNT:
        serve_count(fd);
        break;
    case SERVICES_STREAM_OUT:
        serve_stream(fd);
        break;
    case SERVICES_ECHO:
        serve_echo(fd);
        break;
    case SERVICES_HALF:
        serve_half(fd);
        break;
    case SERVICES_DEAF: /* takes nothing more; the client must notice */
        shutdown(fd, SHUT_RD);
        write_all(fd, "deaf", 4);
        sleep(100);
        break;
    case SERVICES_RUDE: /* goes without having read */
        if (read(fd, &byte, 1) != 1)
            die("read");
        break;
    default:
        write_all(fd, broken, sizeof *broken);
        break;
    }
}

/* Accept on (port), for ever. */
static _Noreturn void listen_on(uint32_t port)
{
    struct sockaddr_vm a = {
        .svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_ANY, .svm_port = port};
    int listener = socket(AF_VSOCK, SOCK_STREAM, 0);

    if (listener < 0 || bind(listener, (struct sockaddr *)&a, sizeof a) < 0 ||
        listen(listener, 300) < 0)
        die("listen");
    for (;;) {
        int fd = accept(listener, NULL, NULL);

        if (fd < 0)
            die("accept");
        if (fork() == 0) {
            serve(port, fd);
            exit(0);
        }
        close(fd);
    }
}

/* Returns what a call of the host's (port) says, errno; the socket to (fd). */
static int call(uint32_t port, int *fd)
{
    struct sockaddr_vm a = {
        .svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_HOST, .svm_port = port};

    *fd = socket(AF_VSOCK, SOCK_STREAM, 0);
    return connect(*fd, (struct sockaddr *)&a, sizeof a) == 0 ? 0 : errno;
}

int main(void)
{
    const char *nested = getenv("TPROF_NESTED");
    int fd;
    char byte;

    if (nested == NULL || strcmp(nested, "yes") != 0) {
        fprintf(stderr, "guest: only inside tests/system/nested/run\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    broken = mmap(NULL, sizeof *broken, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (broken == MAP_FAILED)
        die("mmap");
    for (uint32_t port = SERVICES_FIRST; port <= SERVICES_LAST; port++) {
        if (fork() == 0)
            listen_on(port);
    }
    usleep(300000); /* they listen by then, or the host tries again */
    if (call(SERVICES_NOBODY, &fd) != ECONNRESET)
        die("a call to nobody should have been reset");
    if (call(SERVICES_HOST, &fd) != 0)
        die("call the host");
    /* the host lets go of it at the end */
    while (read(fd, &byte, 1) > 0)
        ;
    return 0;
}
