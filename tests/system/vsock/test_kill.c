/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collector, bridge and guest are killed under load, in every order. Catches:
 * a survivor that hangs or crashes; a recording that cannot be read up to the
 * kill, or that claims to be whole; a bridge that cannot be used again.
 *
 * QEMU 7.2 does not connect to a new bridge. Then the guest has no vsock until
 * it is restarted, and must work without.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "busy.h"
#include "check.h"

#define END_MS 20000 /* for a collector whose guest is gone */

enum victim { COLLECTOR, BRIDGE, GUEST, VICTIMS };

static const enum victim orders[][VICTIMS] = {
    {COLLECTOR, BRIDGE, GUEST}, {COLLECTOR, GUEST, BRIDGE},
    {BRIDGE, COLLECTOR, GUEST}, {BRIDGE, GUEST, COLLECTOR},
    {GUEST, COLLECTOR, BRIDGE}, {GUEST, BRIDGE, COLLECTOR},
};
#define ORDERS (sizeof orders / sizeof *orders)

static const char *const impatient[] = {"--rate", "5000", "--wait", "0.2",
                                        NULL};

/* Of a process that is gone: 0. */
struct stage {
    struct host h;
    pid_t collector, bridge;
    bool guest;
};

/* The recording up to the kill can be read and adds up. Its end is missing. */
static void check_recording(void)
{
    char line[512];
    bool is_marked = false;
    struct recorded r = recorded_read("victim");

    CHECK(r.samples > 0);
    CHECK_EQ(r.ticks, r.samples);
    CHECK(!r.complete);
    snprintf(line, sizeof line, "report '%s' --details",
             collector_recording("victim"));
    FILE *f = host_collector(line);

    while (fgets(line, sizeof line, f) != NULL)
        is_marked =
            is_marked ||
            strstr(line, "These numbers are exact up to the last frame") !=
                NULL;
    pclose(f);
    CHECK(is_marked); /* it says that something is missing */
}

/* Its guest is gone, one way or the other: it ends by itself. */
static void wait_for_collector(struct stage *s)
{
    if (s->collector == 0)
        return;
    CHECK_EQ(process_wait(s->collector, END_MS), 0);
    s->collector = 0;
}

/* Where bridge and guest live, the next collector has them. */
static void attach_anew(const struct stage *s)
{
    if (s->bridge == 0 || !s->guest)
        return;
    pid_t next = collector_start("next", SERIAL_BUSY, impatient);

    collector_end(next, "next", 2000); /* however slow the guest is now */
    CHECK(recorded_read("next").complete);
}

static void lose(struct stage *s, enum victim victim, bool is_hasty)
{
    switch (victim) {
    case COLLECTOR:
        if (s->collector != 0)
            process_kill(s->collector);
        s->collector = 0;
        if (!is_hasty)
            attach_anew(s);
        break;
    case BRIDGE:
        CHECK(process_lives(s->bridge));
        process_kill(s->bridge);
        s->bridge = 0;
        break;
    default:
        if (is_hasty || s->bridge != 0)
            host_kill(&s->h);
        else
            busy_end(&s->h); /* it still works and listens */
        s->guest = false;
        break;
    }
    if (!is_hasty && victim != COLLECTOR)
        wait_for_collector(s);
}

static void kill_all(uint32_t round, uint64_t *random)
{
    const enum victim *order = orders[round % ORDERS];
    bool is_hasty = host_draw(random, 2);
    struct stage s = {.bridge = bridge_start(), .guest = true};

    busy_boot(&s.h, "microvm", "2", "");
    s.collector = collector_start("victim", SERIAL_BUSY, impatient);
    collector_until_recorded("victim", 2000 + (long)host_draw(random, 20000));
    for (int i = 0; i < VICTIMS; i++) {
        host_sleep_ms((int)host_draw(random, 30));
        lose(&s, order[i], is_hasty);
    }
    check_recording();
}

/* A guest dies and another one comes to the same bridge. */
TEST(bridge_serves_the_next_guest_after_one_is_killed)
{
    struct host h;
    pid_t bridge = bridge_start();
    unsigned fds = process_fds(bridge);

    for (int i = 0; i < 5; i++) {
        busy_boot(&h, "microvm", "2", "");
        pid_t collector = collector_start("victim", SERIAL_BUSY, impatient);

        collector_until_recorded("victim", 3000);
        host_kill(&h);
        CHECK_EQ(process_wait(collector, END_MS), 0);
        check_recording();
    }
    CHECK(process_lives(bridge));
    CHECK(process_fds(bridge) <= fds);
    process_kill(bridge);
}

TEST(guest_bridge_and_collector_are_killed_in_every_order)
{
    uint64_t random = 5;

    for (uint32_t i = 0; i < ORDERS; i++)
        kill_all(i, &random);
}

static void kill_at_random(uint32_t times, uint64_t seed)
{
    for (uint32_t i = 0; i < times; i++)
        kill_all(i, &seed);
}

TEST(slow_killed_10_times_at_random)
{
    kill_at_random(10, 13);
}

TEST(slow_killed_100_times_at_random)
{
    alarm(1500);
    kill_at_random(100, 12);
}
