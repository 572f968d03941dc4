/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A long run: two busy cores, 64 ns an instruction, and a reader that stalls,
 * or that disconnects and comes back. Catches: any tick that is neither
 * delivered nor counted as lost.
 *
 * What a run costs is its ticks. So a minute has the rate at which ticks are
 * missed, too, and half an hour, which is for clocks and counts that go wrong
 * with time, half of that.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

#define SLOW_SECONDS 3000

struct length {
    uint32_t rate_hz;
    uint32_t minutes;
    int read_ms; /* between two stalls: about as many in each tick's time */
};

static const struct length minute = {10000, 1, 1000};
static const struct length half_hour = {5000, 30, 500};

struct run {
    struct host h;
    struct length length;
    uint64_t random;
    uint64_t first_tsc; /* of the first START */
};

static void boot(struct run *r, const struct length *length, uint64_t seed)
{
    static const char *const options[] = {"--cpus",   "2",         "--icount",
                                          "6",        "--timeout", "2950",
                                          "--append", "cpus=2",    NULL};

    r->length = *length;
    r->random = seed;
    host_init(&r->h);
    host_boot(&r->h, SERIAL_BUSY, options);
    host_meet(&r->h);
    host_begin(&r->h, r->length.rate_hz, 0, 0);
}

static bool is_long_enough(const struct run *r)
{
    const struct host *h = &r->h;
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < h->cores; i++) {
        if (h->core[i].stats.ticks < least)
            least = h->core[i].stats.ticks;
    }
    return least >= 60ull * r->length.minutes * r->length.rate_hz;
}

static void read_for_a_while(struct run *r)
{
    int least = r->length.read_ms / 10;
    int more =
        (int)host_draw(&r->random, (uint32_t)(r->length.read_ms - least));

    host_hear(&r->h, least + more, 0);
}

/* Reads for a while, and then nothing until the rings are full. */
static void read_slowly(struct run *r)
{
    read_for_a_while(r);
    host_sleep_ms(100 + (int)host_draw(&r->random, 500));
}

/* Reads for a while, goes without a word, and comes back. */
static void read_interruptedly(struct run *r)
{
    read_for_a_while(r);
    host_detach(&r->h);
    host_sleep_ms((int)host_draw(&r->random, 100));
    host_meet(&r->h);
    host_begin(&r->h, r->length.rate_hz, 0, 0);
}

/* Every interval is drawn from U[0.5, 1.5] x period, so (n) of them take n
 * periods with a standard deviation of sqrt(n / 12). */
static void check_deadlines(const struct host_core *core, uint32_t rate_hz,
                            double seconds)
{
    double expected = seconds * rate_hz;
    double off = (double)account_deadlines(&core->account) - expected;

    printf("%" PRIu64 " deadlines, %.0f expected\n",
           account_deadlines(&core->account), expected);
    /* and both ends are known to some hundred periods only */
    CHECK(off * off < 25 * expected / 12 + 1e6);
}

static void report(const struct run *r, uint64_t began_ms)
{
    for (uint32_t i = 0; i < r->h.cores; i++) {
        const struct account *a = &r->h.core[i].account;

        printf("core %u: %" PRIu64 " ticks = %" PRIu64 " delivered + %" PRIu64
               " dropped + %" PRIu64 " lost; %" PRIu64 " missed\n",
               i, account_ticks(a), a->samples, a->ring_full + a->reentered,
               a->lost, a->missed);
    }
    printf("%.1f s for %" PRIu64 " bytes, %" PRIu64 " sessions\n",
           (double)(host_now_ms() - began_ms) / 1000, r->h.bytes,
           r->h.sessions);
}

/* Ticks = delivered + dropped + lost, to the last one, also in the report that
 * the collector makes of the recording. */
static void finish(struct run *r, uint64_t began_ms)
{
    host_finish(&r->h);
    report(r, began_ms);
    host_check_accounts(&r->h);
    CHECK_EQ(r->h.boots, 1);
    for (uint32_t i = 0; i < r->h.cores && r->h.sessions == 1; i++)
        CHECK_EQ(account_ticks(&r->h.core[i].account),
                 r->h.core[i].stats.ticks);
    host_check_report(&r->h, SERIAL_BUSY);
    host_kill(&r->h);
}

static void run_slow_reader(const struct length *length)
{
    static struct run r;
    uint64_t began = host_now_ms();
    double seconds;

    boot(&r, length, 1);
    host_until(&r.h, host_has_samples, 1);
    r.first_tsc = r.h.core[0].last_tsc;
    while (!is_long_enough(&r))
        read_slowly(&r);
    host_hear(&r.h, 1000, 0); /* so that the last tick is not a dropped one */
    finish(&r, began);
    CHECK_EQ(r.h.sessions, 1);
    CHECK_EQ(host_health(&r.h)->lost_frames, 0);
    for (int i = 0; i < 2; i++) {
        CHECK(r.h.core[i].account.ring_full > 1000);
        CHECK_EQ(r.h.core[i].account.lost, 0);
        seconds = (double)(r.h.core[i].last_tsc - r.first_tsc) /
                  (double)r.h.guest.tsc_hz;
        check_deadlines(&r.h.core[i], length->rate_hz, seconds);
    }
}

static void run_interrupted_reader(const struct length *length)
{
    static struct run r;
    uint64_t began = host_now_ms();

    boot(&r, length, 2);
    while (!is_long_enough(&r))
        read_interruptedly(&r);
    finish(&r, began);
    CHECK(r.h.sessions > 2);
    for (uint32_t i = 0; i < r.h.cores; i++) {
        /* what the ends of the others had in them is not known, and is said */
        CHECK(r.h.core[i].account.cut > 0);
        CHECK(account_ticks(&r.h.core[i].account) < r.h.core[i].stats.ticks);
    }
}

TEST(minute_with_a_slow_reader)
{
    run_slow_reader(&minute);
}

TEST(minute_with_an_interrupted_reader)
{
    run_interrupted_reader(&minute);
}

TEST(half_hour_with_a_slow_reader)
{
    alarm(SLOW_SECONDS);
    run_slow_reader(&half_hour);
}

TEST(half_hour_with_an_interrupted_reader)
{
    alarm(SLOW_SECONDS);
    run_interrupted_reader(&half_hour);
}

/* Sum of the folded stacks' counts. */
static uint64_t folded_sum(const struct host *h)
{
    char command[1024], line[8192];
    uint64_t sum = 0;

    snprintf(command, sizeof command, "report %s --elf %s --format folded",
             h->record_path, SERIAL_BUSY);
    FILE *f = host_collector(command);

    while (fgets(line, sizeof line, f) != NULL) {
        const char *count = strrchr(line, ' ');

        CHECK(count != NULL);
        sum += count ? strtoull(count, NULL, 10) : 0;
    }
    CHECK_EQ(pclose(f), 0);
    return sum;
}

/* (n) more samples of each core than the most that any has. */
static void hear_more(struct host *h, uint64_t n)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < h->cores; i++) {
        if (h->core[i].samples > most)
            most = h->core[i].samples;
    }
    host_until(h, host_has_samples, most + n);
}

/*
 * A pause of the whole machine: the clock jumps by half a million deadlines at
 * 50 kHz. That is one flagged sample a core, whose weight is no work: counted
 * as work it would be more than all others together. A loaded host may stop a
 * core for a second, too, and a core may have few samples in a second.
 */
TEST(machine_stopped_for_ten_seconds_costs_flagged_samples)
{
    static const char *const options[] = {
        "--cpus", "2", "--timeout", "100", "--append", "cpus=2", NULL};
    uint64_t work = 0, began = host_now_ms();
    struct host h;
    pid_t qemu;

    host_init(&h);
    host_boot(&h, SERIAL_BUSY, options);
    host_meet(&h);
    qemu = host_qemu(&h);
    host_begin(&h, 50000, 0, 0);
    hear_more(&h, 500);
    CHECK_EQ(kill(qemu, SIGSTOP), 0);
    host_hear(&h, 10000, 0);
    CHECK_EQ(kill(qemu, SIGCONT), 0);
    hear_more(&h, 500);
    host_finish(&h);
    host_check_accounts(&h);
    host_check_clean(&h);
    double took = (double)(host_now_ms() - began) / 1000;

    for (int i = 0; i < 2; i++) {
        const struct host_core *c = &h.core[i];
        double paused = (double)c->jump_weight / 50000;

        printf("core %d: %" PRIu64 " samples, %" PRIu64 " jumps of %.1f s\n", i,
               c->samples, c->jumps, paused);
        CHECK(c->jumps >= 1);
        CHECK_EQ(c->account.jumps, c->jumps);
        /* the clock's rate is known to 5 %; each further jump is of a second */
        CHECK(paused > .95 * (9 + (double)c->jumps) && paused < 1.05 * took);
        CHECK_EQ(c->account.ring_full, 0);
        work += c->weight + c->jumps; /* a jump is work like any one sample */
    }
    CHECK_EQ(folded_sum(&h), work);
    host_kill(&h);
}
