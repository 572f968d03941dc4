/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each way to set the profiler up, up to a report: how a core knows its number,
 * on which machine and bus the device is, and memory and gates that the kernel
 * gives.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "host.h"

#define ARGS_MAX 24

/* Each core once. The kernel's own numbers are in the order of APIC ids; ours
 * (is_ours) in the order in which the cores came. */
static void check_numbers(const struct host *h, bool is_ours)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < h->cores; i++) {
        CHECK(h->core[i].stats.flags & WIRE_STATS_STARTED);
        CHECK(is_ours || h->core[i].stats.apic_id == i);
        seen |= 1u << h->core[i].stats.apic_id % 32;
    }
    CHECK_EQ(seen, (1u << h->cores) - 1);
}

/* Boots two cores with (options), samples, and checks that all is well. */
static void profile(const char *const *options, const char *append)
{
    const char *argv[ARGS_MAX] = {"--icount", "3",        "--timeout",
                                  "100",      "--append", append};
    size_t n = 6;
    bool has_cpus = false;
    struct host h;

    for (; *options != NULL; options++) {
        has_cpus |= strcmp(*options, "--cpus") == 0;
        argv[n++] = *options;
    }
    if (!has_cpus) {
        argv[n++] = "--cpus";
        argv[n++] = "2";
    }
    argv[n] = NULL;
    host_init(&h);
    host_boot(&h, SERIAL_BUSY, argv);
    host_meet(&h);
    host_begin(&h, 2000, 0, 0);
    host_until(&h, host_has_samples, 500);
    CHECK(h.deepest > 10);
    host_finish(&h);
    host_check_clean(&h);
    host_check_accounts(&h);
    CHECK_EQ(h.core[0].stats.unknown_cpu, 0);
    check_numbers(&h, strstr(append, "source=0") || strstr(append, "source=2"));
    host_kill(&h);
}

/* The numbers are those of enum tprof_cpu_source. */
TEST(core_known_by_apic_id)
{
    static const char *const options[] = {NULL};

    profile(options, "cpus=2 source=0");
}

TEST(core_known_by_gs)
{
    static const char *const options[] = {NULL};

    profile(options, "cpus=2 source=1");
}

TEST(core_known_by_tsc_aux)
{
    static const char *const options[] = {"--cpu", "max", NULL};

    profile(options, "cpus=2 source=2 poll=1");
}

/* The default CPU has no RDTSCP: the APIC id it is. */
TEST(core_known_by_apic_id_without_rdtscp)
{
    static const char *const options[] = {NULL};

    profile(options, "cpus=2 source=2 poll=1");
}

TEST(core_known_by_the_kernels_hook)
{
    static const char *const options[] = {NULL};

    profile(options, "cpus=2 source=3 poll=1");
}

TEST(core_known_to_be_the_only_one)
{
    static const char *const options[] = {"--cpus", "1", NULL};

    profile(options, "cpus=1 source=0");
}

TEST(kernel_may_give_memory_gate_and_ranges)
{
    static const char *const options[] = {NULL};

    profile(options, "cpus=2 own=1 gate=1 stacks=1 vector=0x51 ring=8192 "
                     "slots=64 depth=20");
}

TEST(device_on_microvm_with_acpi)
{
    static const char *const options[] = {"--machine", "microvm-acpi", NULL};

    profile(options, "cpus=2");
}

TEST(device_on_legacy_mmio)
{
    static const char *const options[] = {"--virtio", "mmio-legacy", NULL};

    profile(options, "cpus=2");
}

TEST(device_on_pci_of_q35)
{
    static const char *const options[] = {"--machine", "q35", NULL};

    profile(options, "cpus=2");
}

TEST(device_on_pci_of_pc)
{
    static const char *const options[] = {"--machine", "pc", "--cpu", "max",
                                          NULL};

    profile(options, "cpus=2");
}

TEST(device_at_a_known_mmio_address)
{
    static const char *const options[] = {NULL};

    profile(options, "cpus=2 bus=1 address=0xfeb00e00");
}

TEST(device_at_a_known_pci_address)
{
    static const char *const options[] = {"--machine", "q35", NULL};

    profile(options, "cpus=2 bus=2 address=8"); /* 00:01.0 */
}
