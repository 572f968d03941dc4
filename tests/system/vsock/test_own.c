/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that drives its vsock device itself, and lends the profiler a
 * socket. Catches: bytes that are lost, doubled or in the wrong connection;
 * credit that is not given back; a profiler that calls the driver while the
 * kernel is inside the driver; samples that are not accounted for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bridge.h"
#include "check.h"

#define PORT_ECHO    7u
#define PORT_DISCARD 9u
#define PORT_CHARGEN 19u
#define CLIENTS      4u /* that each service takes */
#define CALLED       6000u

/* A recording of some hundred samples. */
#define RECORDED_BYTES 8192

/* Echo for as long as nobody kills this process, which is the result. */
static pid_t echo_for_ever(uint32_t seed)
{
    uint8_t out[3000], in[3000];
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid > 0)
        return pid;
    int sock = bridge_connect(PORT_ECHO);

    for (uint64_t round = 0;; round++) {
        for (size_t i = 0; i < sizeof out; i++)
            out[i] = bridge_pattern(seed, round + i);
        bridge_write(sock, out, sizeof out);
        bridge_read(sock, in, sizeof in);
        CHECK_MEM(in, out, sizeof in);
    }
}

static void boot(struct host *h, const char *machine, const char *append)
{
    const char *options[] = {"--machine", machine,     "--cpus",
                             "2",         "--timeout", "100",
                             "--append",  append,      NULL};

    bridge_start();
    bridge_boot(h, VSOCK_OWN, options);
}

static void exchange(const char *machine)
{
    static const size_t sizes[] = {1, 43, 4096, 65537, 3000000};
    struct host h;
    uint64_t all = 0;

    boot(&h, machine, "");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bridge_echo(bridge_connect(PORT_ECHO), (uint32_t)i, sizes[i]);
        all += sizes[i];
    }
    bridge_end_own(&h);
    CHECK_EQ(host_console(&h, "own:", "cid"), BRIDGE_GUEST_CID);
    CHECK_EQ(host_console(&h, "own: connections", "connections"),
             sizeof sizes / sizeof *sizes);
    CHECK_EQ(host_console(&h, "own: connections", "received"), all);
    CHECK_EQ(host_console(&h, "own: connections", "sent"), all);
}

TEST(kernel_traffic_comes_back_on_mmio)
{
    exchange("microvm");
}

TEST(kernel_traffic_comes_back_on_pci)
{
    exchange("q35");
}

/* As many as a service takes, at once; one more is refused, and welcome when
 * another has left. */
TEST(kernel_connections_do_not_mix)
{
    struct host h;
    pid_t pids[CLIENTS];
    int socks[CLIENTS];

    boot(&h, "microvm", "");
    for (uint32_t i = 0; i < CLIENTS; i++)
        socks[i] = bridge_connect(PORT_ECHO);
    CHECK(bridge_try(PORT_ECHO) < 0);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        pids[i] = fork();
        CHECK(pids[i] >= 0);
        if (pids[i] == 0) {
            bridge_echo(socks[i], i, 400000 + 1000 * i);
            _exit(0);
        }
    }
    for (uint32_t i = 0; i < CLIENTS; i++)
        CHECK_EQ(process_wait(pids[i], HOST_PATIENCE_MS), 0);
    for (uint32_t i = 0; i < CLIENTS; i++)
        close(socks[i]);
    bridge_echo(bridge_connect(PORT_ECHO), 9, 1000);
    bridge_end_own(&h);
    CHECK_EQ(host_console(&h, "own: connections", "connections"), CLIENTS + 1);
    CHECK_EQ(host_console(&h, "own: connections", "received"),
             4 * 400000 + 6000 + 1000);
}

/* A client that sends and never reads is held up; the other clients are not. */
TEST(kernel_client_that_does_not_read_stops_no_other)
{
    static uint8_t junk[1 << 20];
    struct host h;
    ssize_t n;

    boot(&h, "microvm", "");
    int stuck = bridge_connect(PORT_ECHO);

    do /* until every buffer on the way there and back is full */
        n = send(stuck, junk, sizeof junk, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n > 0);
    host_sleep_ms(200);
    while (send(stuck, junk, sizeof junk, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
        ;
    for (uint32_t i = 0; i < 20; i++)
        bridge_echo(bridge_connect(PORT_ECHO), i, 20000);
    close(stuck);
    bridge_end_own(&h);
}

TEST(kernel_calls_the_host)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    char append[32];
    struct host h;
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);

    CHECK((size_t)snprintf(addr.sun_path, sizeof addr.sun_path, "%s_%u",
                           bridge_uds_path, CALLED) < sizeof addr.sun_path);
    CHECK(bind(listener, (struct sockaddr *)&addr, sizeof addr) == 0);
    CHECK(listen(listener, 1) == 0);
    snprintf(append, sizeof append, "call=%u", CALLED);
    boot(&h, "microvm", append);
    int sock = accept(listener, NULL, NULL);

    unlink(addr.sun_path);
    CHECK(sock >= 0);
    bridge_echo(sock, 5, 700000);
    bridge_end_own(&h);
    CHECK_EQ(host_console(&h, "own: connections", "received"), 700000);
}

/* The kernel has counted exactly the bytes that the host has sent and read. */
TEST(counters_are_exact_beside_kernel_traffic)
{
    static uint8_t bytes[1 << 20];
    const size_t times = 64;
    struct host h;

    boot(&h, "microvm", "");
    int to = bridge_connect(PORT_DISCARD);
    int from = bridge_connect(PORT_CHARGEN);

    for (size_t i = 0; i < times; i++) {
        bridge_write(to, bytes, sizeof bytes);
        bridge_read(from, bytes, sizeof bytes);
        for (size_t j = 0; j < sizeof bytes; j++)
            CHECK(bytes[j] == (uint8_t)j);
    }
    shutdown(to, SHUT_WR);
    bridge_wait_close(to); /* all of it was taken */
    close(from);
    bridge_end_own(&h);
    CHECK_EQ(host_console(&h, "own: connections", "received"),
             times * sizeof bytes);
    /* what was under way when we left is the difference */
    CHECK(host_console(&h, "own: connections", "sent") >= times * sizeof bytes);
    CHECK(host_console(&h, "own: connections", "sent") <=
          times * sizeof bytes + (8u << 20));
}

/* Samples of the kernel's own account for each of its ticks, while its sockets
 * are in use, and again with the next collector. */
static void profile_own(const char *append)
{
    static const char *const no_options[] = {NULL};
    uint64_t samples = 0, ticks = 0, counted_samples = 0, counted_ticks = 0;
    unsigned late = 0;
    struct host h;

    boot(&h, "microvm", append);
    pid_t first = echo_for_ever(1), second = echo_for_ever(2);

    for (int i = 0; i < 2; i++) {
        pid_t collector = collector_start("own", VSOCK_OWN, no_options);

        collector_end(collector, "own", RECORDED_BYTES);
        struct recorded r = recorded_read("own");

        late += !r.complete; /* more than a second for the last words */
        CHECK_EQ(r.cores, 2);
        CHECK(r.samples > 200);
        samples += r.samples;
        ticks += r.ticks;
    }
    process_kill(first);
    process_kill(second);
    bridge_end_own(&h);
    CHECK(host_console(&h, "own: connections", "received") > 100000);
    for (uint32_t i = 0; i < h.cores; i++) {
        char core[32];

        snprintf(core, sizeof core, "core %u:", i);
        counted_samples += host_console(&h, core, "samples");
        counted_ticks += host_console(&h, core, "ticks");
    }
    CHECK(ticks <= counted_ticks);
    if (late == 0) {
        CHECK_EQ(samples, counted_samples);
        CHECK_EQ(ticks, counted_ticks);
    }
}

TEST(profiler_is_drained_by_the_kernels_loop)
{
    profile_own("");
}

TEST(profiler_is_drained_inside_interrupts)
{
    profile_own("irq=1");
}
