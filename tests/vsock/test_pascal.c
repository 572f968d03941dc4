/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel in Free Pascal, whose vsock driver the profiler shares. Catches:
 * bytes of one's in the other's connection, samples that are not accounted
 * for, a driver that loses a byte while its lock is asked for in vain.
 */
#include <stdio.h>
#include <unistd.h>

#include "bridge.h"
#include "check.h"

#define PORT_ECHO  7u
#define ECHO_BYTES 300000u
#define ECHOES     3u

static void share(const char *elf, const char *cores)
{
    static const char *const second_long[] = {"--duration", "1", NULL};
    const char *options[] = {"--cpus", cores, "--append",
                             "sockets=1 cycles=0 report=1000000", NULL};
    struct host h;

    bridge_start();
    bridge_boot(&h, elf, options);
    pid_t collector = collector_start("pascal", elf, second_long);

    for (uint32_t i = 0; i < ECHOES; i++)
        bridge_echo(bridge_connect(PORT_ECHO), i, ECHO_BYTES + i);
    CHECK_EQ(process_wait(collector, HOST_PATIENCE_MS), 0);
    struct recorded r = recorded_read("pascal");

    CHECK_EQ(r.cores, (uint32_t)(cores[0] - '0'));
    CHECK(r.samples > 50); /* of a busy host */
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
