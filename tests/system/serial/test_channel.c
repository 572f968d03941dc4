/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Channels of the kernel's own, over COM1 (tests/guest/uart): one that only
 * sends, and one with a lock, which only tprof_poll() may call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "check.h"
#include "host.h"

#define SECONDS 5ul /* of the guest's time, whose TSC counts nanoseconds */

/* Boots the guest with COM1 into a file; to its end. */
static const char *run_one_way(struct host *h)
{
    static char com1[512];
    static const char *const options[] = {
        "--icount", "3",  "--timeout", "50",
        "--com1",   com1, "--append",  "way=1 rate=997 cycles=5000000000",
        NULL};
    const char *path = host_path("extra");

    snprintf(com1, sizeof com1, "file:%s", path);
    host_init(h);
    host_boot_without_port(h, SERIAL_UART, options);
    host_wait_end(h);
    return path;
}

TEST(one_way_stream_is_complete)
{
    struct host h;
    const char *path = run_one_way(&h);

    host_read_file(&h, path, 0);
    host_check_clean(&h);
    host_check_identity(&h);
    CHECK_EQ(h.guest.features, WIRE_FEATURE_ONE_WAY | WIRE_FEATURE_BLOCKS);
    CHECK_EQ(h.status.state, WIRE_STATE_SAMPLING);
    /* once a second, as HELLO says by its flag; one session all the same */
    CHECK_EQ(h.sessions, 1);
    CHECK(h.hellos >= SECONDS && h.hellos <= SECONDS + 1);
    CHECK_EQ(h.status_count, h.hellos);
    CHECK(h.core[0].stats_count + 1 >= SECONDS);
    /* to the last sample */
    CHECK(h.core[0].samples > 900 * SECONDS);
    CHECK_EQ(h.core[0].samples, host_console(&h, "counted:", "samples"));
    CHECK_EQ(account_ticks(&h.core[0].account),
             host_console(&h, "counted:", "ticks"));
    CHECK_EQ(h.core[0].account.missed, host_console(&h, "counted:", "missed"));
}

TEST(one_way_stream_can_be_joined_in_the_middle)
{
    struct host whole, half;
    const char *path = run_one_way(&whole);
    struct stat st;

    CHECK_EQ(stat(path, &st), 0);
    host_read_file(&whole, path, 0);
    host_init(&half);
    host_read_file(&half, path, (size_t)st.st_size / 2 + 13);
    host_check_identity(&half);
    CHECK(host_health(&half)->before_hello > 0);
    CHECK(half.hellos >= 2);
    CHECK(half.status_count >= 2);
    CHECK_EQ(host_health(&half)->lost_frames, 0);
    CHECK_EQ(half.core[0].account.lost, 0);
    /* at most a second was skipped, and then all of it was understood but what
     * was on its way when the dictionary began anew: a ring's watermark */
    CHECK(half.core[0].samples + 1200 > whole.core[0].samples / 2);
    CHECK(half.core[0].account.unknown_stack < 600);
    CHECK(half.stacks > 3);
}

/* COM1 is a socket; the machine does not start before somebody is there. */
static void boot_polled(struct host *h, const char *append)
{
    static char com1[512];
    const char *const options[] = {"--icount", "3",      "--timeout",
                                   "50",       "--com1", com1,
                                   "--append", append,   NULL};

    host_init(h);
    snprintf(com1, sizeof com1, "unix:%s,server=on,wait=on", h->socket_path);
    host_boot_without_port(h, SERIAL_UART, options);
}

/* The guest fails if its driver is called while its lock is held. */
TEST(ticks_leave_a_polled_channel_alone)
{
    struct host h;

    boot_polled(&h, "way=2 cycles=60000000000");
    host_meet(&h);
    host_begin(&h, 2000, 0, 0);
    host_until(&h, host_has_samples, 3000);
    host_begin(&h, 5000, 2, 0);
    host_until(&h, host_has_samples, 9000);
    host_ping(&h, 4711);
    host_until(&h, host_has_pongs, 1);
    host_finish(&h);
    host_check_clean(&h);
    host_check_accounts(&h);
    host_kill(&h);
}

TEST(polled_channel_is_seldom_looked_at_without_a_host)
{
    static const char *const options[] = {
        "--icount", "3",    "--timeout", "50",
        "--com1",   "null", "--append",  "way=2 absent=1 cycles=5000000000",
        NULL};
    struct host h;

    host_init(&h);
    host_boot_without_port(&h, SERIAL_UART, options);
    host_wait_end(&h);
    CHECK_EQ(host_console(&h, "counted:", "ticks"), 0);
    CHECK(host_console(&h, "counted:", "looks") <= 4 * SECONDS + 1);
    CHECK(host_console(&h, "counted:", "looks") >= 3 * SECONDS);
}
