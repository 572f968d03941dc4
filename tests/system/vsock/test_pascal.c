/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel in Free Pascal, whose vsock driver the profiler shares. Catches:
 * bytes in the wrong connection, samples that are not accounted for, a driver
 * that loses a byte while its lock is taken, and one that loses the end of a
 * connection while its queue is full.
 */
#include <linux/sockios.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bridge.h"
#include "check.h"

#define PORT_ECHO  7u
#define ECHO_BYTES 300000u
#define ECHOES     3u

/* A recording of some hundred samples. */
#define RECORDED_BYTES 8192

/* The most bytes that the echo service takes, and that the driver sends, in one
 * step. */
#define ECHO_STEP    4096u
#define PACKET_BYTES 4052u

/*
 * An echo that the service sends as 16 packets, all that the driver's queue
 * has: two for each step, and as few bytes as that takes. The bridge has more
 * to say of 32768, and would learn by the answer that nobody is there.
 */
#define QUEUE_BYTES (7u * ECHO_STEP + PACKET_BYTES + 1)

static void boot(struct host *h, const char *elf, const char *cores)
{
    const char *options[] = {"--cpus",    cores,
                             "--timeout", "100",
                             "--append",  "sockets=1 cycles=0 report=1000000",
                             NULL};

    bridge_boot(h, elf, options);
}

static void share(const char *elf, const char *cores)
{
    static const char *const no_options[] = {NULL};
    struct host h;

    bridge_start();
    boot(&h, elf, cores);
    pid_t collector = collector_start("pascal", elf, no_options);

    for (uint32_t i = 0; i < ECHOES; i++)
        bridge_echo(bridge_connect(PORT_ECHO), i, ECHO_BYTES + i);
    collector_end(collector, "pascal", RECORDED_BYTES);
    struct recorded r = recorded_read("pascal");

    CHECK_EQ(r.cores, (uint32_t)(cores[0] - '0'));
    CHECK(r.samples > 50);
    CHECK(r.least_samples > 10);
    bridge_end_own(&h);
    CHECK_EQ(host_console(&h, "pascal: echoed", "echoed"),
             ECHOES * ECHO_BYTES + 3);
}

TEST(pascal_shares_its_sockets)
{
    share(VSOCK_PASCAL, "2");
}

TEST(pascal_shares_its_sockets_on_one_core)
{
    share(VSOCK_PASCAL, "1");
}

/* Does process (pid) wait for something? */
static bool is_asleep(pid_t pid)
{
    char path[64], line[256] = "";

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");

    CHECK(f != NULL);
    CHECK(fgets(line, sizeof line, f) != NULL);
    fclose(f);
    const char *end = strrchr(line, ')'); /* of its name */
    return end != NULL && end[2] == 'S';
}

/* All that (sock) has sent is in the guest's buffers: (bridge) has read it, and
 * waits. */
static void settle(int sock, pid_t bridge)
{
    uint64_t end = host_now_ms() + HOST_PATIENCE_MS;
    int left = 1;

    while (left > 0 || !is_asleep(bridge)) {
        CHECK(ioctl(sock, SIOCOUTQ, &left) == 0);
        CHECK(host_now_ms() < end);
    }
}

/*
 * A peer that has sent all and reads nothing yet, on a host that does not come
 * to take a packet: the echoes fill the driver's queue to the last place, and
 * that the service has closed is still to be said.
 */
TEST(pascal_closes_a_connection_after_its_queue_was_full)
{
    static uint8_t out[QUEUE_BYTES], in[QUEUE_BYTES];
    struct host h;
    pid_t bridge = bridge_start();

    boot(&h, VSOCK_PASCAL, "1");
    int sock = bridge_connect(PORT_ECHO);

    for (uint32_t i = 0; i < QUEUE_BYTES; i++)
        out[i] = bridge_pattern(1, i);
    CHECK(kill(host_qemu(&h), SIGSTOP) == 0);
    bridge_write(sock, out, sizeof out);
    shutdown(sock, SHUT_WR);
    settle(sock, bridge);
    CHECK(kill(bridge, SIGSTOP) == 0);
    CHECK(kill(host_qemu(&h), SIGCONT) == 0);
    host_sleep_ms(500); /* too little, and nothing is tested */
    CHECK(kill(bridge, SIGCONT) == 0);
    bridge_read(sock, in, sizeof in);
    CHECK_MEM(in, out, sizeof out);
    bridge_wait_close(sock);
    bridge_echo(bridge_connect(PORT_ECHO), 2, ECHO_BYTES);
    bridge_end_own(&h);
}
