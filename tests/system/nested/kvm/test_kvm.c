/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests under real KVM, in the machine of tests/system/nested/run: the timer
 * and the APIC that the CPU offers are used and keep the rate, by this
 * machine's clock; the TSC's rate is the one that this machine's kernel has
 * given KVM; the time that a core waited for its turn arrives.
 */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

#define CORES      2
#define RATE_HZ    2000
#define SAMPLE_MS  1500
#define WITHOUT_IT "max,-x2apic,-tsc-deadline"
/* what the agent leaves of error where it measures the APIC's timer itself:
 * tprof_lapic_measure() */
#define MEASURED   (1.0 / 64)

static void boot(struct host *h, const char *cpu, const char *append)
{
    const char *const options[] = {"--accel",  "kvm",  "--cpus",    "2",
                                   "--cpu",    cpu,    "--timeout", "200",
                                   "--append", append, NULL};

    if (access("/dev/kvm", R_OK | W_OK) != 0)
        SKIP("/dev/kvm cannot be used: run this in tests/system/nested/run");
    host_init(h);
    host_boot(h, NESTED_KVM, options);
    host_meet(h);
}

/* The samples of one core: the first and the last one's time on the guest's
 * clock, and the deadlines that samples after the first cover. */
struct seen {
    uint64_t first, last, deadlines;
};

static void see(void *context, uint32_t core, const struct sample *s,
                uint32_t shift, uint32_t period)
{
    struct seen *seen = (struct seen *)context + core % CORES;

    (void)shift;
    (void)period;
    if (seen->first == 0)
        seen->first = s->tsc;
    else
        seen->deadlines += s->weight;
    seen->last = s->tsc;
}

static void finish(struct host *h)
{
    host_finish(h);
    host_check_clean(h);
    host_check_accounts(h);
}

/* The rate that this machine's kernel has found for its TSC, which it says in
 * MHz to the kHz, better a second later; KVM hands its guests the same. */
static uint64_t kernel_khz(void)
{
    static const char *const says[] = {"tsc: Detected ",
                                       "TSC clocksource calibration: "};
    char line[512], *end;
    uint64_t khz = 0;
    FILE *f = popen("dmesg", "r");

    CHECK(f != NULL);
    while (fgets(line, sizeof line, f) != NULL) {
        for (int i = 0; i < 2; i++) {
            const char *at = strstr(line, says[i]);

            if (at == NULL)
                continue;
            khz = strtoul(at + strlen(says[i]), &end, 10) * 1000;
            khz += strtoul(end + 1, NULL, 10);
        }
    }
    pclose(f);
    CHECK(khz > 0);
    return khz;
}

/* Every core's deadlines are as many as that time has room for, by the rate
 * that this machine gives the TSC. Intervals are drawn from U[0.5, 1.5]
 * periods: n of them last n periods, and the standard deviation is
 * sqrt(n / 12); 4 of those, and one that is cut at either end. The agent knows
 * the timer's rate to (error) of it. */
static void check_rate(const struct seen *seen, double error)
{
    double hz = (double)kernel_khz() * 1000;

    for (int i = 0; i < CORES; i++) {
        double n = RATE_HZ * (double)(seen[i].last - seen[i].first) / hz;
        double room = 4 * sqrt(n / 12) + 2 + n * error;

        printf("core %d: %lu deadlines of %.0f +- %.0f\n", i,
               (unsigned long)seen[i].deadlines, n, room);
        CHECK(n > .2 * RATE_HZ);
        CHECK(fabs((double)seen[i].deadlines - n) < room);
    }
}

/* Is one of the lines that the guest has printed (expected)? */
static void check_console(const char *expected)
{
    char line[256], all[2048] = "";
    FILE *f = fopen(host_path("console"), "r");
    bool found = false;

    CHECK(f != NULL);
    while (fgets(line, sizeof line, f) != NULL) {
        strncat(all, line, sizeof all - strlen(all) - 1);
        line[strcspn(line, "\r\n")] = '\0';
        found |= strcmp(line, expected) == 0;
    }
    fclose(f);
    if (!found)
        printf("expected: %s\nthe guest's console:\n%s", expected, all);
    CHECK(found);
}

static void profile(const char *cpu, const char *append, const char *expected)
{
    struct seen seen[CORES] = {0};
    char line[128];
    struct host h;

    boot(&h, cpu, append);
    h.sample = see;
    h.context = seen;
    host_begin(&h, RATE_HZ, 0, 0);
    host_hear(&h, SAMPLE_MS, 0);
    host_until(&h, host_has_samples, RATE_HZ / 4);
    finish(&h);
    /* a deadline is the TSC's, which KVM tells the guest */
    check_rate(seen, strstr(expected, "deadline") ? 0 : MEASURED);
    host_wait_end(&h);
    for (unsigned core = 0; core < CORES; core++) {
        snprintf(line, sizeof line, "core %u: %s", core, expected);
        check_console(line);
    }
}

TEST(deadline_timer_keeps_the_rate)
{
    profile("max,-x2apic", "kvm=1", "apic xapic timer deadline steal 0");
}

TEST(x2apic_with_a_deadline_timer_keeps_the_rate)
{
    profile("max", "kvm=1 x2apic=1 source=0",
            "apic x2apic timer deadline steal 0");
}

TEST(x2apic_with_a_counting_timer_keeps_the_rate)
{
    profile("max,-tsc-deadline", "kvm=1 x2apic=1",
            "apic x2apic timer one-shot steal 0");
}

TEST(kvm_without_deadline_timer_and_x2apic_keeps_the_rate)
{
    profile(WITHOUT_IT, "", "apic xapic timer one-shot steal 0");
}

/* --- The clock ------------------------------------------------------------ */

struct moment {
    double ms, slack; /* of this machine's clock, and how well it is known */
    double tsc;       /* of the guest's */
};

static struct moment ping(struct host *h)
{
    uint64_t before = host_now_ms();

    host_ping(h, before);
    host_until(h, host_has_pongs, h->pongs + 1);
    CHECK_EQ(h->pong.cookie, before);
    double after = (double)host_now_ms();

    return (struct moment){((double)before + after) / 2,
                           (after - (double)before) / 2 + 1,
                           (double)h->pong.tsc};
}

/* Is (hz) the TSC's rate by this machine's clock, but for (error) of it? */
static void check_by_clock(struct host *h, double hz, double error)
{
    struct moment a = ping(h);

    host_hear(h, SAMPLE_MS, 0);
    struct moment b = ping(h);
    double ms = b.ms - a.ms;
    double measured = (b.tsc - a.tsc) / ms * 1000;

    printf("tsc: told %.0f, measured %.0f Hz\n", hz, measured);
    CHECK(fabs(measured / hz - 1) < (a.slack + b.slack) / ms + error);
}

TEST(clock_of_kvm_says_how_fast_the_tsc_is)
{
    uint64_t khz = kernel_khz();
    struct host h;

    boot(&h, "max", "kvm=1");
    printf("tsc: kernel %lu kHz, guest %lu Hz\n", (unsigned long)khz,
           (unsigned long)h.guest.tsc_hz);
    /* the page holds 31 bits of it */
    CHECK(llabs((long long)(h.guest.tsc_hz - khz * 1000)) <= 8);
    check_by_clock(&h, (double)h.guest.tsc_hz, 1e-3);
    host_kill(&h);
}

/* By the APIC timer: no two clocks are read at the same moment. */
TEST(clock_without_a_hypervisor_is_measured)
{
    struct host h;

    boot(&h, "max", "");
    check_by_clock(&h, (double)h.guest.tsc_hz, MEASURED);
    host_kill(&h);
}

/* --- Steal time ----------------------------------------------------------- */

static bool has_stats(const struct host *h, uint64_t n)
{
    for (uint32_t i = 0; i < h->cores; i++) {
        if (h->core[i].stats_count < n)
            return false;
    }
    return true;
}

static void stay_on(size_t cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
}

/* Two cores that never rest, on one of this machine's: each waits for the other
 * for about half of the time, and both together for all of it. */
TEST(steal_time_of_two_cores_on_one_is_half_of_each)
{
    double share[2], sum;
    uint64_t first[2], first_tsc[2];
    struct host h;

    stay_on(0); /* QEMU too, which inherits it */
    boot(&h, "max", "kvm=1");
    stay_on(1);
    host_begin(&h, RATE_HZ, 0, 0);
    host_until(&h, has_stats, 1);
    for (int i = 0; i < 2; i++) {
        CHECK(h.core[i].stats.has_steal);
        first[i] = h.core[i].stats.steal_ns;
        first_tsc[i] = h.core[i].stats.tsc;
    }
    host_hear(&h, SAMPLE_MS, 0);
    finish(&h);
    for (int i = 0; i < 2; i++) {
        const struct core_stats *s = &h.core[i].stats;

        CHECK(s->has_steal);
        share[i] = (double)(s->steal_ns - first[i]) / 1e9 /
                   (double)(s->tsc - first_tsc[i]) * (double)h.guest.tsc_hz;
        printf("core %d: %.1f %% stolen\n", i, 100 * share[i]);
    }
    sum = share[0] + share[1];
    CHECK(share[0] > .3 && share[0] < .7);
    /* QEMU's other threads and this machine's kernel take some, too */
    CHECK(sum > .9 && sum < 1.3);
    host_wait_end(&h);
    check_console("core 0: apic xapic timer deadline steal 0");
}

/* The pages of a kernel's own stay its own, and the time is not known. */
TEST(steal_time_that_the_kernel_asks_for_is_left_to_it)
{
    struct host h;

    boot(&h, "max", "kvm=1 mine=1");
    CHECK(llabs((long long)(h.guest.tsc_hz - kernel_khz() * 1000)) <= 8);
    host_begin(&h, RATE_HZ, 0, 0);
    host_hear(&h, SAMPLE_MS / 4, 0);
    finish(&h);
    CHECK(!h.core[0].stats.has_steal && !h.core[1].stats.has_steal);
    host_wait_end(&h);
    check_console("clock: msr kept, written again 1");
    check_console("core 0: apic xapic timer deadline steal mine");
    check_console("core 1: apic xapic timer deadline steal mine");
}

/* It is not asked for, so it is not told. */
TEST(steal_time_is_not_known_without_a_hypervisor)
{
    struct host h;

    boot(&h, "max", "");
    host_begin(&h, RATE_HZ, 0, 0);
    host_hear(&h, SAMPLE_MS / 4, 0);
    finish(&h);
    CHECK(!h.core[0].stats.has_steal);
    host_wait_end(&h);
    check_console("clock: msr kept, written again 0");
}
