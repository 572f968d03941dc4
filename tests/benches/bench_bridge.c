/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast bytes pass the bridge, for bench_bridge.sh:
 *
 *     bench_bridge UDS QEMU_PID
 *
 * The guest vsock_own is behind UDS. Each figure is that of the
 * fastest of several rounds; each round moves the same bytes through a
 * socketpair, too, with QEMU stopped meanwhile: it polls, and would take a core
 * from the other side only.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT_ECHO    7u
#define PORT_DISCARD 9u
#define PORT_CHARGEN 19u

#define ROUNDS      9
#define BULK_BYTES  ((uint64_t)128 << 20)
#define CHUNK_BYTES ((size_t)256 << 10)
#define TRIPS       2000

static uint8_t chunk[CHUNK_BYTES];
static const char *uds_path;
static pid_t qemu;

static _Noreturn void fail(const char *what)
{
    perror(what);
    kill(qemu, SIGCONT);
    exit(1);
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int connect_to(uint32_t port)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    char line[32], byte = 0;
    int sock = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(addr.sun_path, sizeof addr.sun_path, "%s", uds_path);
    snprintf(line, sizeof line, "CONNECT %u\n", port);
    if (connect(sock, (struct sockaddr *)&addr, sizeof addr) < 0 ||
        send(sock, line, strlen(line), 0) < 0)
        fail("bench_bridge: connect");
    while (byte != '\n') {
        if (recv(sock, &byte, 1, 0) != 1)
            fail("bench_bridge: the guest does not answer");
    }
    return sock;
}

static void write_bulk(int sock)
{
    for (uint64_t left = BULK_BYTES; left > 0;) {
        size_t want = left < sizeof chunk ? (size_t)left : sizeof chunk;
        ssize_t n = send(sock, chunk, want, 0);

        if (n <= 0)
            fail("bench_bridge: send");
        left -= (uint64_t)n;
    }
}

static void read_bulk(int sock)
{
    for (uint64_t left = BULK_BYTES; left > 0;) {
        ssize_t n = recv(sock, chunk, sizeof chunk, 0);

        if (n <= 0)
            fail("bench_bridge: recv");
        left -= (uint64_t)n < left ? (uint64_t)n : left;
    }
}

static double time_to_guest(void)
{
    int sock = connect_to(PORT_DISCARD);
    double start = now_s();

    write_bulk(sock);
    shutdown(sock, SHUT_WR);
    while (recv(sock, chunk, 1, 0) > 0) /* until the guest has taken it all */
        ;
    close(sock);
    return now_s() - start;
}

static double time_from_guest(void)
{
    int sock = connect_to(PORT_CHARGEN);
    double start = now_s();

    read_bulk(sock);
    double took = now_s() - start;

    close(sock);
    return took;
}

static double time_pair(void)
{
    int pair[2];

    kill(qemu, SIGSTOP);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        fail("bench_bridge: socketpair");
    double start = now_s();
    pid_t writer = fork();

    if (writer == 0) {
        write_bulk(pair[0]);
        _exit(0);
    }
    read_bulk(pair[1]);
    double took = now_s() - start;

    waitpid(writer, NULL, 0);
    close(pair[0]);
    close(pair[1]);
    kill(qemu, SIGCONT);
    return took;
}

static double time_trip(void)
{
    int sock = connect_to(PORT_ECHO);
    double start = now_s();

    for (int i = 0; i < TRIPS; i++) {
        if (send(sock, chunk, 1, 0) != 1 || recv(sock, chunk, 1, 0) != 1)
            fail("bench_bridge: echo");
    }
    double took = now_s() - start;

    close(sock);
    return took / TRIPS;
}

static double least(const double *values)
{
    double min = values[0];

    for (int i = 1; i < ROUNDS; i++)
        min = values[i] < min ? values[i] : min;
    return min;
}

int main(int argc, char **argv)
{
    double to[ROUNDS], from[ROUNDS], pair[ROUNDS], trip[ROUNDS];
    double mb = (double)BULK_BYTES / 1e6;

    if (argc != 3) {
        fprintf(stderr, "usage: bench_bridge UDS QEMU_PID\n");
        return 2;
    }
    uds_path = argv[1];
    qemu = (pid_t)strtol(argv[2], NULL, 10);
    memset(chunk, 1, sizeof chunk);
    for (int i = 0; i < ROUNDS; i++) {
        to[i] = time_to_guest();
        from[i] = time_from_guest();
        pair[i] = time_pair();
        trip[i] = time_trip();
    }
    printf("bridge_to_guest %.2f ratio\n", least(pair) / least(to));
    printf("bridge_from_guest %.2f ratio\n", least(pair) / least(from));
    printf("bridge_to_guest_rate %.0f MB/s\n", mb / least(to));
    printf("bridge_from_guest_rate %.0f MB/s\n", mb / least(from));
    printf("bridge_round_trip %.1f us\n", least(trip) * 1e6);
    return 0;
}
