/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling by the kernel's own timer, of which the agent takes every k-th tick
 * with random k; and deadlines that are over before the timer is set again.
 * Under icount the kernel's ticks are equidistant to the instruction, so the
 * distance of two samples tells how many ticks are between them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "host.h"
#include "stats.h"

#define KERNEL_HZ 4000ul
#define TICK_TSC  (1000000000 / KERNEL_HZ)
#define K_MAX     64

/* Distances of consecutive samples of core 0, in the kernel's ticks. */
struct distances {
    uint64_t last;
    uint64_t count[K_MAX];
    uint64_t odd; /* none of 1 to K_MAX - 1 */
    uint64_t sum, n;
};

static void take_distance(void *context, uint32_t core, const struct sample *s,
                          uint32_t shift, uint32_t period)
{
    struct distances *d = context;

    (void)shift;
    (void)period;
    if (core != 0)
        return;
    if (d->last) {
        uint64_t k = (s->tsc - d->last + TICK_TSC / 2) / TICK_TSC;

        if (k > 0 && k < K_MAX) {
            d->count[k]++;
            d->sum += k;
            d->n++;
        } else {
            d->odd++;
        }
    }
    d->last = s->tsc;
}

static void boot_kernel_timer(struct host *h, struct distances *d,
                              const char *append)
{
    const char *const options[] = {"--icount", "4",    "--timeout", "55",
                                   "--append", append, NULL};

    memset(d, 0, sizeof *d);
    host_init(h);
    h->sample = take_distance;
    h->context = d;
    host_boot(h, SERIAL_KERNEL_TIMER, options);
    host_meet(h);
    CHECK_EQ(h->guest.intervals, WIRE_INTERVALS_KERNEL);
    CHECK_EQ(h->guest.kernel_hz, KERNEL_HZ);
}

TEST(samples_are_taken_at_random_kernel_ticks)
{
    struct distances d;
    struct host h;
    uint64_t alike[15];

    boot_kernel_timer(&h, &d, "khz=4000 tsc_hz=1000000000");
    host_begin(&h, 500, 0, 0); /* k is 8 on average: 1 to 15, all alike */
    CHECK_EQ(h.status.every, 8);
    CHECK_EQ(h.status.rate_hz, 500);
    host_until(&h, host_has_samples, 6000);
    host_finish(&h);
    host_check_clean(&h);
    host_check_accounts(&h);
    CHECK_EQ(h.core[0].account.missed, 0);
    CHECK_EQ(d.odd, 0);
    for (int k = 1; k < K_MAX; k++) {
        if (k > 15)
            CHECK_EQ(d.count[k], 0);
        else
            CHECK(d.count[k] > 0);
        if (k <= 15)
            alike[k - 1] = 1;
    }
    CHECK(stats_pearson_p(d.count + 1, alike, 15) > 1e-4);
    host_kill(&h);
}

TEST(samples_may_be_taken_at_all_kernel_ticks)
{
    struct distances d;
    struct host h;

    boot_kernel_timer(&h, &d, "khz=4000");
    /* the APIC's timer is not ours to learn the clock's rate from */
    CHECK_EQ(h.guest.tsc_hz, 0);
    host_begin(&h, KERNEL_HZ, 0, 0);
    CHECK_EQ(h.status.refusal, WIRE_REFUSED_NO_CLOCK);
    CHECK_EQ(h.status.state, WIRE_STATE_STOPPED);
    host_begin(&h, KERNEL_HZ, 0, TICK_TSC);
    CHECK_EQ(h.status.refusal, WIRE_REFUSED_NOTHING);
    CHECK_EQ(h.status.every, 1); /* which the report warns of */
    host_until(&h, host_has_samples, 3000);
    CHECK_EQ(d.odd, 0);
    CHECK_EQ(d.count[1], d.n);
    /* faster than the kernel ticks is no faster */
    host_begin(&h, 50000, 0, TICK_TSC / 12);
    CHECK_EQ(h.status.every, 1);
    host_until(&h, host_has_samples, h.core[0].samples + 1000);
    host_finish(&h);
    host_check_clean(&h);
    host_check_accounts(&h);
    host_kill(&h);
}

/* The same report that a user sees. */
TEST(report_warns_of_a_fixed_tick)
{
    static const char *const options[] = {
        "--cpus", "2", "--timeout", "55", "--append", "khz=1000", NULL};

    for (int i = 0; i < 2; i++) {
        char command[1024], line[4096];
        bool warned = false;
        struct host h;

        host_init(&h);
        host_boot(&h, SERIAL_KERNEL_TIMER, options);
        snprintf(command, sizeof command,
                 "--serial %s --elf %s --duration 1 --rate %s 2>&1",
                 h.socket_path, SERIAL_KERNEL_TIMER, i == 0 ? "1000" : "200");
        FILE *f = host_collector(command);

        while (fgets(line, sizeof line, f) != NULL)
            warned |= strstr(line, "kernel's own fixed tick") != NULL;
        CHECK_EQ(pclose(f), 0);
        CHECK_EQ(warned, i == 0);
        host_kill(&h);
    }
}

TEST(kernel_ticks_seldom_look_for_a_host)
{
    static const char *const options[] = {
        "--icount", "4",        "--timeout",
        "55",       "--append", "host=0 cycles=5000000000 tsc_hz=1000000000",
        NULL};
    struct host h;

    host_init(&h);
    host_boot_without_port(&h, SERIAL_KERNEL_TIMER, options);
    host_wait_end(&h);
    CHECK_EQ(host_console(&h, "counted:", "ticks"), 0);
    CHECK(host_console(&h, "counted:", "kernel") > 4 * KERNEL_HZ);
    CHECK(host_console(&h, "counted:", "looks") <= 4ul * 5 + 1);
    CHECK(host_console(&h, "counted:", "looks") >= 3ul * 5);
}

/*
 * 312 instructions to a deadline and as many for a tick: the next deadline is
 * over when the timer is set, or one tick of the TSC away, or a few. None of
 * them may stop the timer, and each deadline is counted.
 */
TEST(deadlines_over_before_the_timer_is_set_do_not_stop_it)
{
    static const char *const options[] = {"--icount", "6", "--timeout", "55",
                                          "--append", "",  NULL};
    struct host h;
    double seconds, deadlines, expected;
    uint64_t first, before;

    host_init(&h);
    host_boot(&h, SERIAL_BUSY, options);
    host_meet(&h);
    host_begin(&h, 50000, 1, 0);
    host_until(&h, host_has_samples, 1);
    /* a slow reader sees this late: what came before is left out */
    first = h.core[0].last_tsc;
    before = account_deadlines(&h.core[0].account);
    host_until(&h, host_has_samples, 300000);
    host_finish(&h);
    host_check_accounts(&h);
    CHECK(h.core[0].account.missed > 1000); /* it was as tight as it should */
    seconds = (double)(h.core[0].last_tsc - first) / (double)h.guest.tsc_hz;
    deadlines = (double)(account_deadlines(&h.core[0].account) - before);
    /* n intervals from U[0.5, 1.5]: a standard deviation of sqrt(n / 12) */
    expected = seconds * 50000;
    printf("%.0f deadlines, %.0f expected\n", deadlines, expected);
    CHECK((deadlines - expected) * (deadlines - expected) <
          25 * expected / 12 + 1e6);
    host_kill(&h);
}
