/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How an idle agent learns that a host has come: by the device's interrupt; by
 * the kernel's polls; by looking at times; and by looking where an interrupt
 * was asked for but is not available. Catches: interrupts while there is no
 * host, samples that no host wants, a host that is not noticed, and a pin taken
 * from another driver.
 *
 * The guest (tests/guest/notice) counts the interrupts of its cores, second by
 * second, while nothing samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bridge.h"
#include "check.h"

#define SESSIONS 2u
#define LOOKS    4u /* a second */
#define CORES    2u /* that have the agent: 1 and 2 */

/* The guest's line on a second in which nothing sampled. */
struct idle {
    unsigned ms, ticks, woken[CORES], left, taken;
};

/* The (number)th such line before (session), both from 1; waits for it. */
static struct idle wait_idle(const struct host *h, unsigned session,
                             unsigned number)
{
    uint64_t end = host_now_ms() + HOST_PATIENCE_MS;
    char key[64], line[256];
    struct idle i;

    snprintf(key, sizeof key, "notice: before %u idle %u ", session, number);
    while (host_now_ms() < end) {
        FILE *f = fopen(h->console_path, "r");
        bool found = false;

        while (f != NULL && !found && fgets(line, sizeof line, f) != NULL)
            found = strncmp(line, key, strlen(key)) == 0 && strchr(line, '\n');
        if (f != NULL)
            fclose(f);
        if (found &&
            sscanf(line + strlen(key),
                   "ms %u ticks %u woken %u %u left %u taken %u", &i.ms,
                   &i.ticks, &i.woken[0], &i.woken[1], &i.left, &i.taken) == 6)
            return i;
        host_sleep_ms(2);
    }
    check_failed(__FILE__, __LINE__, "the guest never says: %s", key);
}

static void boot_with(struct host *h, const char *machine, const char *append,
                      const char *property)
{
    char text[128];
    const char *options[] = {"--machine", machine,   "--cpus",   "3",
                             "--timeout", "100",     "--append", text,
                             "--",        "-global", property,   NULL};

    snprintf(text, sizeof text, "sessions=%u %s", SESSIONS, append);
    unlink(host_path("console")); /* of the case before */
    bridge_start();
    bridge_boot(h, VSOCK_NOTICE, options);
}

static void boot(struct host *h, const char *machine, const char *append)
{
    boot_with(h, machine, append, "isa-debug-exit.iosize=4"); /* as it is */
}

static bool has_samples_of_both(const struct host *h, uint64_t n)
{
    return h->core[1].samples >= n && h->core[2].samples >= n;
}

static bool has_samples_of_second(const struct host *h, uint64_t n)
{
    return h->core[2].samples >= n;
}

/* Come, have (enough) sampled, go. */
static void attend(struct host *h, host_condition enough)
{
    uint64_t wanted = h->core[2].samples + 20;
    uint64_t start = host_now_ms();

    host_meet(h);
    printf("noticed after %u ms\n", (unsigned)(host_now_ms() - start));
    host_start(h, 1000, 0, 0);
    host_until(h, enough, wanted);
    host_detach(h);
}

/* Was a core woken for (looks) a second? On a busy host some come late, and
 * never any early. */
static void check_woken(unsigned woken, unsigned looks, unsigned ms)
{
    unsigned want = looks * ms / 1000;

    CHECK(woken <= want + (looks > 0));
    CHECK(2 * woken + 2 >= want);
}

/* Nothing samples without a host, and core 1 alone is woken, if anybody is. */
static void check_idle(struct idle i, unsigned looks, unsigned ticks)
{
    check_woken(i.woken[0], looks, i.ms);
    CHECK_EQ(i.woken[1], 0);
    CHECK_EQ(i.taken, 0);
    CHECK_EQ(i.left, 0);
    CHECK_EQ(i.ticks, ticks);
}

/* Some sessions with a guest that wakes core 1 for (looks) a second. */
static void attend_all(struct host *h, unsigned looks)
{
    check_idle(wait_idle(h, 1, 1), looks, 0);
    for (unsigned s = 1; s <= SESSIONS; s++) {
        attend(h, has_samples_of_both);
        struct idle i = wait_idle(h, s + 1, 1);

        check_idle(i, looks, i.ticks);
        if (s < SESSIONS) /* the last line has no successor */
            check_idle(wait_idle(h, s + 1, 2), looks, i.ticks);
    }
    host_wait_end(h);
}

static void check_sessions(const char *machine, const char *append,
                           unsigned looks)
{
    struct host h;

    boot(&h, machine, append);
    attend_all(&h, looks);
}

TEST(host_is_noticed_by_the_devices_message)
{
    check_sessions("q35", "", 0);
}

TEST(host_is_noticed_by_the_devices_wire)
{
    check_sessions("microvm", "", 0);
}

TEST(host_is_noticed_by_a_wire_named_in_config)
{
    check_sessions("microvm-acpi", "irq=47", 0);
}

/* The kernel aims the interrupt, once. */
static void check_routed(const char *machine, const char *append)
{
    struct host h;

    boot(&h, machine, append);
    attend_all(&h, 0);
    CHECK_EQ(host_console(&h, "notice: routed", "routed"), 1);
}

TEST(host_is_noticed_by_a_routed_wire)
{
    check_routed("microvm", "hook=12");
}

TEST(host_is_noticed_by_a_routed_message)
{
    check_routed("q35", "hook=1");
}

TEST(host_is_noticed_by_looking_on_mmio)
{
    check_sessions("microvm", "notice=1", LOOKS);
}

TEST(host_is_noticed_by_looking_on_pci)
{
    check_sessions("q35", "notice=1", LOOKS);
}

TEST(host_is_noticed_by_polling)
{
    check_sessions("microvm", "notice=2 poll=1", 0);
}

/* No pin is known: nothing lists the device. */
TEST(device_without_a_pin_is_looked_at)
{
    check_sessions("microvm-acpi", "", LOOKS);
}

/* The device has no MSI-X. */
TEST(device_without_messages_is_looked_at)
{
    struct host h;

    boot_with(&h, "q35", "", "vhost-user-vsock-pci.vectors=0");
    attend_all(&h, LOOKS);
}

/* Another driver has the pin, as a level: it must not even be disturbed. */
TEST(device_whose_pin_another_driver_has_is_looked_at)
{
    check_sessions("microvm", "taken=12", LOOKS);
}

/* The core that is interrupted leaves: then it is another one. */
static void check_leave(const char *machine, const char *append, unsigned looks)
{
    struct host h;

    boot(&h, machine, append);
    check_idle(wait_idle(&h, 1, 1), looks, 0);
    for (unsigned s = 1; s <= SESSIONS; s++) {
        /* what hands the task on may fall into the second line */
        struct idle i = wait_idle(&h, s, s == 1 ? 3 : 1);

        CHECK_EQ(i.left, 1);
        CHECK_EQ(i.woken[0], 0);
        check_woken(i.woken[1], looks, i.ms);
        attend(&h, has_samples_of_second);
    }
    host_wait_end(&h);
    CHECK_EQ(h.core[1].samples, 0);
}

TEST(messages_move_to_another_core_when_theirs_leaves)
{
    check_leave("q35", "leave=1", 0);
}

TEST(wire_moves_to_another_core_when_its_core_leaves)
{
    check_leave("microvm", "leave=1", 0);
}

TEST(looking_moves_to_another_core_when_its_core_leaves)
{
    check_leave("microvm", "leave=1 notice=1", LOOKS);
}
