/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts that come and go over virtio-vsock while the guest is busy. Catches:
 * counters that begin anew, buffers, descriptors and memory that are not given
 * back by agent or bridge, a guest that goes on sampling for nobody, a session
 * that the next host cannot have.
 */
#include <unistd.h>

#include "busy.h"
#include "check.h"

#define SETTLE_MS 5000 /* for what the bridge closes by and by */

/* Random orders and pauses of one session, between its HELLO and its end. */
static void act(struct host *h, uint64_t *random)
{
    for (uint32_t n = host_draw(random, 4); n > 0; n--) {
        switch (host_draw(random, 4)) {
        case 0:
            host_reset(h);
            break;
        case 1:
            host_ping(h, n);
            break;
        case 2:
            host_begin(h, 1 + host_draw(random, 20000),
                       1 + host_draw(random, 127), 0);
            break;
        default: /* say nothing, read nothing */
            host_sleep_ms((int)host_draw(random, 30));
            break;
        }
        host_hear(h, (int)host_draw(random, 20), 0);
    }
}

static void attach_once(struct host *h, uint64_t *random)
{
    uint64_t sessions = h->sessions;

    host_meet(h);
    CHECK_EQ(h->sessions, sessions + 1);
    CHECK_EQ(h->boots, 1);
    if (host_draw(random, 8) > 0)
        host_begin(h, 1 + host_draw(random, 20000), 0, 0);
    act(h, random);
    if (host_draw(random, 2)) {
        host_finish(h);
        host_check_accounts(h);
    }
    host_check_identity(h);
    host_detach(h);
}

/* Wait until (pid) has no more than (most) descriptors. */
static void check_fds(pid_t pid, unsigned most)
{
    uint64_t end = host_now_ms() + SETTLE_MS;

    while (process_fds(pid) > most) {
        if (host_now_ms() > end)
            CHECK_EQ(process_fds(pid), most);
        host_sleep_ms(10);
    }
}

/* Nothing has sampled since the last STATS: the guest's own counters, on its
 * console, are those of STATS. */
static void check_silent_since(const struct host *h)
{
    for (uint32_t i = 0; i < h->cores; i++) {
        const struct core_stats *s = &h->core[i].stats;

        CHECK_EQ(busy_count(h, i, "ticks"), s->ticks);
        CHECK_EQ(busy_count(h, i, "samples"), s->samples);
        CHECK_EQ(busy_count(h, i, "missed"), s->missed);
        CHECK_EQ(busy_count(h, i, "ring_full"), s->ring_full);
        CHECK_EQ(s->ticks, s->samples + s->ring_full + s->reentered);
    }
}

static uint64_t before[HOST_CORES_MAX]; /* samples of each core */

static bool has_more(const struct host *h, uint64_t n)
{
    for (uint32_t i = 0; i < h->cores; i++) {
        if (h->core[i].samples < before[i] + n)
            return false;
    }
    return true;
}

static void churn(const char *machine, const char *cores, uint32_t times)
{
    uint64_t random = 20250607;
    struct host h;
    pid_t bridge = bridge_start();
    uint64_t kib = 0;

    busy_boot(&h, machine, cores, "");
    host_meet(&h);
    host_detach(&h);
    unsigned fds = process_fds(bridge);
    unsigned qemu_fds = process_fds(host_qemu(&h));

    for (uint32_t i = 0; i < times; i++) {
        attach_once(&h, &random);
        if (i == times / 10)
            kib = process_kib(bridge);
    }
    check_fds(bridge, fds);
    check_fds(host_qemu(&h), qemu_fds);
    CHECK(process_kib(bridge) <= kib + 128);
    host_meet(&h);
    host_begin(&h, 1000, 0, 0);
    for (uint32_t i = 0; i < h.cores; i++)
        before[i] = h.core[i].samples;
    host_until(&h, has_more, 200);
    host_finish(&h);
    host_check_accounts(&h);
    host_detach(&h);
    host_sleep_ms(300); /* nobody is there, and the guest works on */
    busy_end(&h);
    check_silent_since(&h);
    CHECK(process_lives(bridge));
    process_kill(bridge);
}

/* Its host leaves without a word, and two seconds later has counted less than
 * half a second's ticks more: what came before the guest saw it go. */
TEST(sampling_ends_when_the_host_vanishes)
{
    const uint32_t rate_hz = 1000;
    struct host h;
    uint64_t heard[HOST_CORES_MAX] = {0};
    pid_t bridge = bridge_start();

    busy_boot(&h, "microvm", "2", "");
    host_meet(&h);
    host_begin(&h, rate_hz, 0, 0);
    host_until(&h, host_has_samples, 200);
    for (uint32_t i = 0; i < h.cores; i++)
        heard[i] = account_ticks(&h.core[i].account);
    host_detach(&h);
    host_sleep_ms(2000);
    busy_end(&h);
    for (uint32_t i = 0; i < h.cores; i++) {
        CHECK(busy_count(&h, i, "ticks") >= heard[i]);
        CHECK(busy_count(&h, i, "ticks") < heard[i] + rate_hz / 2);
    }
    process_kill(bridge);
}

TEST(hosts_come_and_go_100_times)
{
    churn("microvm", "2", 100);
}

TEST(hosts_come_and_go_on_pci)
{
    churn("q35", "2", 20);
}

TEST(slow_hosts_come_and_go_1000_times)
{
    alarm(1500);
    churn("microvm", "4", 1000);
}
