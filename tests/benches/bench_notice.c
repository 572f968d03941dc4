/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_notice SOCKET NAME: how long an idle agent, behind the bridge's socket,
 * lets a host wait for its first byte. Prints the median and the longest of
 * some calls, after pauses of any length.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CALLS      21
#define ANSWER_MS  5000
#define ANSWER_MAX 32 /* bytes of the line that comes before the guest's */

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int next_byte(int sock, char *byte)
{
    struct pollfd p = {.fd = sock, .events = POLLIN};

    return poll(&p, 1, ANSWER_MS) == 1 && recv(sock, byte, 1, 0) == 1;
}

/* Wait for the line that says yes, and for the guest's first byte. */
static int hears(int sock)
{
    char byte = 0;

    for (int i = 0; i < ANSWER_MAX && byte != '\n'; i++) {
        if (!next_byte(sock, &byte))
            return 0;
    }
    return byte == '\n' && next_byte(sock, &byte);
}

/* One call; returns how long it took, or -1. */
static double call(const char *path)
{
    static const char line[] = "CONNECT 7077\n";
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    int sock = socket(AF_UNIX, SOCK_STREAM, 0);
    double start = now_ms();
    double took = -1;

    strncpy(addr.sun_path, path, sizeof addr.sun_path - 1);
    if (sock >= 0 &&
        connect(sock, (struct sockaddr *)&addr, sizeof addr) == 0 &&
        send(sock, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line) &&
        hears(sock))
        took = now_ms() - start;
    close(sock);
    return took;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    double took[CALLS];

    if (argc != 3) {
        fprintf(stderr, "usage: bench_notice SOCKET NAME\n");
        return 2;
    }
    for (int i = 0; i < CALLS; i++) {
        /* the agent is idle again, and its looks are anywhere */
        usleep(200000 + (unsigned)(i * 7919 % 250) * 1000);
        took[i] = call(argv[1]);
        if (took[i] < 0)
            return 1;
    }
    qsort(took, CALLS, sizeof *took, compare);
    printf("%s_latency %.2f ms\n", argv[2], took[CALLS / 2]);
    printf("%s_latency_worst %.2f ms\n", argv[2], took[CALLS - 1]);
    return 0;
}
