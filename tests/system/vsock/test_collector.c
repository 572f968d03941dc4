/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The real collector, the real bridge and a real guest. Catches: a report
 * without one of the cores, or with wrong numbers; a second collector that gets
 * bytes of the first one's; a collector that gives up where it should wait;
 * samples that are in no recording.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "busy.h"
#include "check.h"

#define TRIES 5

static const char *const for_ever[] = {NULL};
static const char *const second_long[] = {"--duration", "1", "--rate", "1000",
                                          NULL};

/* The share of (function) with what it calls, on core (core), in percent of
 * its busy time, as the report has it; -1: it is not in it. */
static double reported_share(const char *name, uint32_t core,
                             const char *function)
{
    char command[256], line[512];
    double share = -1;

    snprintf(command, sizeof command, "report '%s' --core %u --all",
             collector_recording(name), core);
    FILE *f = host_collector(command);

    while (share < 0 && fgets(line, sizeof line, f) != NULL) {
        double self, total;

        /* SELF % 95 % RANGE TOTAL % 95 % RANGE FUNCTION */
        if (sscanf(line, "%lf %*f-%*f %lf", &self, &total) == 2 &&
            strstr(line, function) != NULL)
            share = total;
    }
    pclose(f);
    return share;
}

/* Each core works three parts to one. A host that takes cores away leaves a few
 * samples that weigh most of a core's time: so what is judged is the mean of
 * all cores, by 4 standard deviations of 100 samples. */
static void check_report(const char *name, uint32_t cores)
{
    double sum = 0;

    for (uint32_t i = 0; i < cores; i++) {
        double three = reported_share(name, i, "work_three");
        double one = reported_share(name, i, "work_one");

        CHECK(three > 0 && one > 0);
        sum += three / (three + one);
    }
    printf("work_three has %.3f of the cores' work\n", sum / cores);
    CHECK(sum > 0.57 * cores && sum < 0.93 * cores);
}

/* Where the host is so busy that the guest takes more than a second for its
 * last words, they are not in the recording: then once more. */
static struct recorded record_whole(void)
{
    struct recorded r = {.complete = false};

    for (int i = 0; i < TRIES && !r.complete; i++) {
        pid_t collector = collector_start("will", SERIAL_BUSY, for_ever);

        collector_end(collector, "will", 30000);
        r = recorded_read("will");
    }
    return r;
}

static void sample_at_will(const char *machine)
{
    struct host h;
    pid_t bridge = bridge_start();

    busy_boot(&h, machine, "4", "");
    for (int i = 0; i < 2; i++) {
        struct recorded r = record_whole();

        CHECK(r.complete);
        CHECK_EQ(r.cores, 4);
        CHECK_EQ(r.boots, 1);
        CHECK(r.least_samples > 100);
        check_report("will", 4);
    }
    busy_end(&h);
    CHECK(process_lives(bridge));
    process_kill(bridge);
}

TEST(collector_reports_each_core_on_mmio)
{
    sample_at_will("microvm");
}

TEST(collector_reports_each_core_on_legacy)
{
    sample_at_will(BUSY_LEGACY);
}

TEST(collector_reports_each_core_on_pci)
{
    sample_at_will("q35");
}

/* All that the guest has ever counted is in somebody's recording: it samples
 * for nobody. */
TEST(collectors_come_and_go)
{
    static const char *const no_options[] = {NULL};
    uint64_t ticks = 0, samples = 0, counted_ticks = 0, counted_samples = 0;
    unsigned late = 0;
    struct host h;
    pid_t bridge = bridge_start();

    busy_boot(&h, "microvm", "2", "");
    for (int i = 0; i < 10; i++) {
        pid_t collector = collector_start("one", SERIAL_BUSY, no_options);

        collector_end(collector, "one", 4000); /* however slow the guest is */
        struct recorded r = recorded_read("one");

        late += !r.complete; /* see record_whole() */
        ticks += r.ticks;
        samples += r.samples;
        host_sleep_ms(50);
    }
    busy_end(&h);
    for (uint32_t i = 0; i < h.cores; i++) {
        counted_ticks += busy_count(&h, i, "ticks");
        counted_samples += busy_count(&h, i, "samples");
    }
    CHECK(ticks <= counted_ticks);
    if (late == 0) {
        CHECK_EQ(ticks, counted_ticks);
        CHECK_EQ(samples, counted_samples);
    }
    process_kill(bridge);
}

/* The first is not disturbed; the second says why, and takes over. */
TEST(second_collector_waits_for_the_first)
{
    struct host h;
    pid_t bridge = bridge_start();

    busy_boot(&h, "microvm", "2", "");
    pid_t first = collector_start("first", SERIAL_BUSY, for_ever);

    collector_until_recorded("first", 4096);
    pid_t second = collector_start("second", SERIAL_BUSY, second_long);

    collector_until_said("second", "7077");
    collector_until_recorded("first", 3L * 4096);
    CHECK(process_lives(first) && process_lives(second));
    CHECK(kill(first, SIGINT) == 0);
    CHECK_EQ(process_wait(first, HOST_PATIENCE_MS), 0);
    CHECK_EQ(process_wait(second, HOST_PATIENCE_MS), 0);
    CHECK(recorded_read("first").samples > 0);
    CHECK(recorded_read("second").samples > 0);
    busy_end(&h);
    process_kill(bridge);
}

/* The collector is there first; the guest comes, is cut off, and comes again
 * through the same bridge. */
TEST(collector_waits_for_the_guest_and_its_reboot)
{
    static const char *const patient[] = {"--wait", "50", NULL};
    struct host h;
    pid_t bridge = bridge_start();
    pid_t collector = collector_start("patient", SERIAL_BUSY, patient);

    collector_until_said("patient", "waiting");
    busy_boot(&h, "microvm", "2", "");
    collector_until_recorded("patient", 8192);
    host_kill(&h);
    long size = collector_recorded("patient");

    busy_boot(&h, "microvm", "2", "");
    collector_until_recorded("patient", size + 8192);
    CHECK(kill(collector, SIGINT) == 0);
    CHECK_EQ(process_wait(collector, HOST_PATIENCE_MS), 0);
    CHECK_EQ(recorded_read("patient").boots, 2);
    busy_end(&h);
    CHECK(process_lives(bridge));
    process_kill(bridge);
}
