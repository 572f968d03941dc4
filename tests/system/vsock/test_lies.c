/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vsock device of a guest that is being sampled lies (liar.c). The guest
 * lives on, its work and its memory are right, and the books close: up to a lie
 * that ends the device, which is given up then; or on and on. Catches: an index
 * that is believed, a buffer that is taken back twice, a length that is read
 * by.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bridge.h"
#include "check.h"

#define RATE_HZ 5000
#define CORES   2u

/* What a lie does to the session. */
enum effect {
    ENDS_THE_DEVICE,  /* no host will be heard any more */
    ENDS_THE_SESSION, /* the next one can begin */
    NONE,
    /* a used id is valid again where its buffer has been given back meanwhile;
     * else it is noticed */
    MAY_END_THE_DEVICE,
};

static pid_t start_liar(const char *lie)
{
    const char *log = bridge_path("liar.log");

    unlink(bridge_vhost_path);
    unlink(bridge_uds_path);
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid > 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (freopen(log, "w", stdout) != NULL)
        execl(VSOCK_LIAR, VSOCK_LIAR, bridge_vhost_path, bridge_uds_path, lie,
              (char *)NULL);
    _exit(127);
}

static bool has_said(const char *words)
{
    char line[128];
    FILE *f = fopen(bridge_path("liar.log"), "r");
    bool found = false;

    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL)
        found = strncmp(line, words, strlen(words)) == 0;
    if (f != NULL)
        fclose(f);
    return found;
}

static void hear_until_said(struct host *h, const char *words)
{
    uint64_t end = host_now_ms() + HOST_PATIENCE_MS;

    while (!has_said(words)) {
        if (host_now_ms() > end)
            check_failed(__FILE__, __LINE__, "the liar does not say: %s",
                         words);
        if (h->sock >= 0)
            host_hear(h, 20, 0);
        else
            host_sleep_ms(20);
    }
}

/* A session from begin to end, whose accounts are exact. */
static void check_whole_session(struct host *h)
{
    uint64_t samples[CORES];

    for (uint32_t i = 0; i < CORES; i++)
        samples[i] = h->core[i].samples;
    for (uint32_t i = 0; i < CORES; i++)
        host_until(h, host_has_samples, samples[i] + 300);
    host_finish(h);
    host_check_accounts(h);
}

/* Is the device given up within two seconds? */
static bool is_given_up_soon(struct host *h)
{
    uint64_t end = host_now_ms() + 2000;

    while (!has_said("given up") && host_now_ms() < end) {
        if (h->sock >= 0)
            host_hear(h, 20, 0);
        else
            host_sleep_ms(20);
    }
    return has_said("given up");
}

static void hear_after(struct host *h, enum effect effect)
{
    if (effect == ENDS_THE_DEVICE ||
        (effect == MAY_END_THE_DEVICE && is_given_up_soon(h))) {
        hear_until_said(h, "given up");
        /* not because the guest has ended: it goes on for a second */
        host_sleep_ms(200);
        CHECK(process_lives(h->boot));
        return;
    }
    if (effect == ENDS_THE_SESSION) {
        uint64_t end = host_now_ms() + HOST_PATIENCE_MS;

        while (h->sock >= 0 && host_now_ms() < end)
            host_hear(h, 20, 0);
        host_meet(h);
        host_begin(h, RATE_HZ, 0, 0);
    }
    check_whole_session(h);
    CHECK(!has_said("given up"));
}

/* What the guest has counted, and what of it came. */
static void check_guest(const struct host *h)
{
    for (uint32_t i = 0; i < CORES; i++) {
        char core[16];

        snprintf(core, sizeof core, "core %u:", i);
        uint64_t ticks = host_console(h, core, "ticks");
        uint64_t samples = host_console(h, core, "samples");

        CHECK_EQ(ticks, samples + host_console(h, core, "full") +
                            host_console(h, core, "reentered"));
        CHECK(host_console(h, core, "rounds") > 0);
        CHECK(h->core[i].samples > 0 && h->core[i].samples <= samples);
        CHECK(h->core[i].account.violations == 0);
    }
}

static void run_lie(const char *name, enum effect effect)
{
    static const char *const options[] = {"--cpus", "2", "--timeout", "100",
                                          NULL};
    struct host h;

    printf("%s\n", name);
    (void)fflush(stdout);
    pid_t liar = start_liar(name);

    while (access(bridge_uds_path, F_OK) != 0)
        host_sleep_ms(5);
    bridge_boot(&h, VSOCK_LIED, options);
    host_meet(&h);
    host_begin(&h, RATE_HZ, 0, 0);
    host_until(&h, host_has_samples, 300);
    CHECK(kill(liar, SIGUSR1) == 0);
    hear_until_said(&h, "lied");
    hear_after(&h, effect);
    host_check_identity(&h);
    if (h.sock >= 0)
        host_detach(&h);
    host_wait_end(&h);
    check_guest(&h);
    process_kill(liar);
}

TEST(device_that_lies_about_its_index_is_given_up)
{
    run_lie("index ahead", ENDS_THE_DEVICE);
    run_lie("index back", ENDS_THE_DEVICE);
    run_lie("index half way round", ENDS_THE_DEVICE);
    run_lie("done before kick", ENDS_THE_DEVICE);
}

TEST(device_that_lies_about_buffers_is_given_up)
{
    run_lie("id behind the ring", ENDS_THE_DEVICE);
    run_lie("id huge", ENDS_THE_DEVICE);
    run_lie("id twice", MAY_END_THE_DEVICE);
    run_lie("id in the middle", ENDS_THE_DEVICE);
}

TEST(device_that_lies_about_lengths_is_given_up)
{
    run_lie("length huge", ENDS_THE_DEVICE);
    run_lie("length one too many", ENDS_THE_DEVICE);
    run_lie("length short", ENDS_THE_DEVICE);
    run_lie("length none", ENDS_THE_DEVICE);
    run_lie("header longer than packet", ENDS_THE_DEVICE);
}

TEST(device_that_scribbles_or_leaves_is_given_up)
{
    run_lie("scribble", ENDS_THE_DEVICE);
    run_lie("leave", ENDS_THE_DEVICE);
}

TEST(device_that_is_only_odd_costs_what_is_counted)
{
    run_lie("interrupt for nothing", NONE);
    run_lie("interrupts in floods", NONE);
    run_lie("deaf for a while", NONE);
    run_lie("strangers", NONE);
    run_lie("credit of the future", ENDS_THE_SESSION);
}
