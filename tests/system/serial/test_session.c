/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts that attach, leave, come back, change their orders, send nonsense, or
 * never come, while the guest works on both cores. Catches: counters that begin
 * anew, records of one session in another, buffers that are not given back,
 * orders that do not reach every core.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

#define TWO_CORES "--cpus", "2", "--timeout", "110", "--append"
/* Not to repeat, but because the guest's time then passes faster than ours. */
#define FAST      "--cpus", "2", "--icount", "4", "--timeout", "110", "--append"

static void boot_busy(struct host *h)
{
    static const char *const options[] = {TWO_CORES, "cpus=2", NULL};

    host_init(h);
    host_boot(h, SERIAL_BUSY, options);
}

static void boot_fast(struct host *h)
{
    static const char *const options[] = {FAST, "cpus=2", NULL};

    host_init(h);
    host_boot(h, SERIAL_BUSY, options);
}

TEST(one_session_loses_nothing)
{
    static const char *const options[] = {
        "--cpus", "2", "--timeout", "60", "--append", "cpus=2 poll=1", NULL};
    struct host h;

    host_init(&h);
    host_boot(&h, SERIAL_BUSY, options);
    host_meet(&h);
    CHECK_EQ(h.guest.cores, 2);
    CHECK_EQ(h.sessions, 1);
    host_begin(&h, 1000, 0, 0);
    CHECK_EQ(h.status.state, WIRE_STATE_SAMPLING);
    CHECK_EQ(h.status.rate_hz, 1000);
    host_until(&h, host_has_samples, 300);
    host_finish(&h);
    host_check_clean(&h);
    host_check_accounts(&h);
    host_kill(&h);
}

/* Nothing samples, and nobody looks for a host more than four times a second:
 * every interrupt is counted by the kernel's own gate. */
TEST(host_that_never_comes_costs_four_looks_a_second)
{
    static const char *const options[] = {
        FAST, "cpus=2 gate=1 poll=1 cycles=20000000000", NULL};
    struct host h;

    host_init(&h);
    host_boot(&h, SERIAL_BUSY, options);
    host_wait_end(&h);
    CHECK_EQ(host_console(&h, "core 0", "ticks"), 0);
    CHECK_EQ(host_console(&h, "core 1", "ticks"), 0);
    /* 20 s, one interrupt of each core when it joined, and a first look */
    CHECK(host_console(&h, "entries", "entries") <= 20ul * 4 + 3);
    CHECK(host_console(&h, "entries", "entries") >= 20ul * 3);
}

TEST(host_may_come_late_and_not_start)
{
    struct host h;

    boot_busy(&h);
    host_qemu(&h);
    host_sleep_ms(700); /* the guest looked many times in vain */
    host_meet(&h);
    host_hear(&h, 300, 0);
    CHECK_EQ(h.core[0].stats_count, 0);
    CHECK_EQ(h.core[0].samples + h.core[1].samples, 0);
    host_begin(&h, 0, 0, 0);
    CHECK_EQ(h.status.rate_hz, 997);
    CHECK_EQ(h.status.depth, 64);
    host_until(&h, host_has_samples, 100);
    host_finish(&h);
    host_check_clean(&h);
    host_check_accounts(&h);
    host_kill(&h);
}

TEST(orders_take_effect_while_running)
{
    static const char *const options[] = {FAST, "cpus=2 map=1", NULL};
    struct host h;
    uint64_t stacks;

    host_init(&h);
    host_boot(&h, SERIAL_BUSY, options);
    host_meet(&h);
    host_begin(&h, 2000, 5, 0);
    host_until(&h, host_has_samples, 1000);
    CHECK_EQ(h.deepest, 5);
    CHECK_EQ(h.status.period_tsc, h.guest.tsc_hz / 2000);
    host_begin(&h, 200000, 200, 0); /* clamped */
    CHECK_EQ(h.status.rate_hz, 100000);
    CHECK_EQ(h.status.depth, 127);
    host_until(&h, host_has_samples, 5000);
    CHECK(h.deepest > 16);
    host_begin(&h, 1000, 0, 0); /* the depth stays */
    host_until(&h, host_has_samples, h.core[0].samples + 500);
    /* a period faster than the fastest rate is clamped too */
    host_begin(&h, 1000, 0, 1000);
    CHECK_EQ(h.status.period_tsc, h.guest.tsc_hz / 100000);
    /* RESET: every stack is defined again */
    host_begin(&h, 1000, 0, 0);
    host_until(&h, host_has_samples, h.core[0].samples + 500);
    stacks = h.stacks;
    CHECK_EQ(h.maps, 1);
    host_reset(&h);
    host_until(&h, host_has_samples, h.core[0].samples + 1500);
    CHECK(h.stacks > stacks + 20);
    CHECK_EQ(h.maps, 2); /* so are images */
    host_finish(&h);
    host_check_clean(&h);
    host_check_accounts(&h);
    /* STOP twice, and START again within the session */
    host_finish(&h);
    host_begin(&h, 500, 3, 0);
    host_until(&h, host_has_samples, h.core[0].samples + 300);
    host_finish(&h);
    host_check_clean(&h);
    host_check_accounts(&h);
    host_kill(&h);
}

TEST(ping_brings_cookie_and_clock)
{
    struct host h;
    uint64_t before = 0;

    boot_busy(&h);
    host_meet(&h);
    for (uint64_t i = 1; i <= 20; i++) {
        if (i == 10)
            host_begin(&h, 1000, 0, 0);
        host_ping(&h, i << 40 | i);
        host_until(&h, host_has_pongs, i);
        CHECK_EQ(h.pong.cookie, i << 40 | i);
        CHECK(h.pong.tsc > before);
        before = h.pong.tsc;
    }
    host_finish(&h);
    host_check_accounts(&h);
    host_kill(&h);
}

/* Random orders and pauses of one session, between its HELLO and its end. */
static void act(struct host *h, uint64_t *random)
{
    uint32_t rates[] = {1, 100, 997, 5000, 20000, 50000};

    for (uint32_t n = host_draw(random, 4); n > 0; n--) {
        switch (host_draw(random, 5)) {
        case 0:
            host_reset(h);
            break;
        case 1:
            host_ping(h, n);
            break;
        case 2:
            host_begin(h, rates[host_draw(random, 6)], 0, 0);
            break;
        case 3:
            host_stop(h);
            host_begin(h, 0, 1 + host_draw(random, 127), 0);
            break;
        default: /* say nothing, read nothing */
            host_sleep_ms((int)host_draw(random, 30));
            break;
        }
        host_hear(h, (int)host_draw(random, 20), 0);
    }
}

static void churn(struct host *h, uint32_t times)
{
    uint64_t random = 20250607;

    for (uint32_t i = 0; i < times; i++) {
        uint64_t sessions = h->sessions;

        host_meet(h);
        CHECK_EQ(h->sessions, sessions + 1);
        CHECK_EQ(h->boots, 1);
        if (host_draw(&random, 8) > 0)
            host_begin(h, 1 + host_draw(&random, 20000), 0, 0);
        act(h, &random);
        if (host_draw(&random, 2)) {
            host_finish(h);
            host_check_accounts(h);
        }
        host_check_identity(h);
        host_detach(h);
    }
    host_meet(h);
    host_begin(h, 1000, 0, 0);
    for (uint32_t i = 0; i < h->cores; i++)
        host_until(h, host_has_samples, h->core[i].samples + 200);
    host_finish(h);
    host_check_accounts(h);
    /* not all was in vain; and what a ring still held for an earlier host is
     * thrown away, since its stacks are in nobody's dictionary */
    CHECK(h->core[0].samples > 5ul * times);
    for (uint32_t i = 0; i < h->cores; i++)
        CHECK(h->core[i].account.unknown_stack * 200 <= h->core[i].samples);
    host_kill(h);
}

TEST(hosts_come_and_go_100_times)
{
    struct host h;

    boot_fast(&h);
    churn(&h, 100);
}

TEST(hosts_come_and_go_at_two_cores)
{
    struct host h;

    boot_busy(&h);
    churn(&h, 20);
}

/* A host asks for much, does not read for (ms), and goes; then another comes
 * and is served well. */
static void hang_and_come_back(struct host *h, int ms)
{
    host_meet(h);
    host_begin(h, 50000, 0, 0);
    host_sleep_ms(ms);
    host_detach(h);
    host_meet(h);
    host_begin(h, 1000, 0, 0);
    for (uint32_t i = 0; i < h->cores; i++)
        host_until(h, host_has_samples, h->core[i].samples + 200);
    host_finish(h);
    host_check_accounts(h);
    for (uint32_t i = 0; i < h->cores; i++) {
        const struct host_core *c = &h->core[i];

        /* some ticks found the ring full until the pump had emptied it */
        CHECK(c->account.ring_full - c->before.ring_full < 100);
        CHECK_EQ(c->account.lost, c->before.lost);
    }
    host_detach(h);
}

/* Catches: losses of a host that hung, booked to the next one */
TEST(host_that_never_read_leaves_its_losses_behind)
{
    static const char *const options[] = {TWO_CORES, "cpus=2 ring=4096", NULL};
    struct host h;
    uint64_t full = 0;

    host_init(&h);
    host_boot(&h, SERIAL_BUSY, options);
    /* until the socket and a ring were full: on a busy machine that is late */
    for (int ms = 2000; ms < 20000 && full < 100; ms += 2000) {
        hang_and_come_back(&h, ms);
        full = h.core[0].stats.ring_full + h.core[1].stats.ring_full;
    }
    CHECK(full >= 100);
    host_kill(&h);
}

/* In real time, on four cores. */
TEST(slow_hosts_come_and_go_1000_times)
{
    static const char *const options[] = {
        "--cpus", "4", "--timeout", "1500", "--append", "cpus=4", NULL};
    struct host h;

    alarm(1500);
    host_init(&h);
    host_boot(&h, SERIAL_BUSY, options);
    churn(&h, 1000);
}

/* Bytes that are no frame, and frames that are nothing an agent expects. */
static size_t garbage(uint8_t *bytes, uint64_t *random)
{
    size_t size = 1 + host_draw(random, 300);

    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)host_draw(random, 256);
    if (host_draw(random, 2)) { /* a header that promises any length */
        bytes[WIRE_FRAME_MAGIC] = WIRE_MAGIC & 0xff;
        bytes[WIRE_FRAME_MAGIC + 1] = WIRE_MAGIC >> 8;
        bytes[WIRE_FRAME_TYPE] = (uint8_t)(WIRE_START + host_draw(random, 4));
        if (host_draw(random, 2)) {
            bytes[WIRE_FRAME_LENGTH] = (uint8_t)host_draw(random, 120);
            bytes[WIRE_FRAME_LENGTH + 1] = 0;
        }
        size = size < 8 ? 8 : size;
    }
    return size;
}

static bool has_cookie(const struct host *h, uint64_t cookie)
{
    return h->pong.cookie == cookie;
}

TEST(garbage_from_the_host_does_not_hurt)
{
    static uint8_t bytes[512];
    uint64_t random = 7;
    struct host h;

    boot_fast(&h);
    host_meet(&h);
    host_begin(&h, 2000, 0, 0);
    for (int i = 0; i < 500; i++) {
        CHECK(host_send_bytes(&h, bytes, garbage(bytes, &random)));
        host_hear(&h, 0, 0);
        if (i % 10 == 0) /* fields of all kinds in a good frame */
            host_send_junk_frame(&h, &random);
    }
    /* whatever length the last one promised, it is over by now */
    memset(bytes, 0, sizeof bytes);
    CHECK(host_send_bytes(&h, bytes, sizeof bytes));
    host_ping(&h, 0x1234567890);
    host_until(&h, has_cookie, 0x1234567890); /* all of it was heard */
    host_begin(&h, 3000, 7, 0);
    CHECK_EQ(h.status.rate_hz, 3000);
    host_until(&h, host_has_samples, h.core[0].samples + 300);
    host_finish(&h);
    host_check_clean(&h);
    host_check_accounts(&h);
    host_kill(&h);
}

/* A ring of 512 records and a host that reads nothing for a while: what is
 * lost is counted, and only for as long as that takes. */
TEST(reader_that_stalls_costs_samples_that_are_counted)
{
    static const char *const options[] = {FAST, "cpus=2 ring=4096", NULL};
    struct host h;
    uint64_t full;

    host_init(&h);
    host_boot(&h, SERIAL_BUSY, options);
    host_meet(&h);
    host_begin(&h, 20000, 0, 0);
    for (int i = 0; i < 3; i++) {
        host_sleep_ms(1000);
        host_until(&h, host_has_samples, h.core[0].samples + 2000);
    }
    full = h.core[0].account.ring_full;
    CHECK(full > 1000);
    host_finish(&h);
    CHECK_EQ(host_health(&h)->lost_frames, 0);
    host_check_accounts(&h);
    /* and nothing of it stays behind */
    host_begin(&h, 1000, 0, 0);
    full = h.core[0].stats.ring_full;
    host_until(&h, host_has_samples, h.core[0].samples + 1000);
    host_finish(&h);
    CHECK_EQ(h.core[0].stats.ring_full, full);
    host_check_accounts(&h);
    host_kill(&h);
}

/* The guest dies at any moment: up to the last frame received everything adds
 * up, and nothing is made up for what came later. */
TEST(counts_add_up_after_a_guest_is_killed)
{
    uint64_t random = 99;

    for (int i = 0; i < 12; i++) {
        struct host h;

        boot_busy(&h);
        host_meet(&h);
        host_begin(&h, 1000 + host_draw(&random, 20000), 0, 0);
        host_hear(&h, (int)host_draw(&random, 300), 0);
        host_kill(&h);
        while (h.sock >= 0)
            host_hear(&h, 100, 0);
        host_end(&h);
        host_check_identity(&h);
        CHECK(!h.core[0].account.complete);
        CHECK_EQ(h.core[0].account.lost, 0);
        CHECK_EQ(h.core[1].account.lost, 0);
    }
}
