/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core is reset 1,000 times while it is sampled, wherever it is: in the code
 * that it runs, in a tick, in the pump, while it joins. Catches: a lock that
 * dies with its owner, a tick that is counted and neither sent nor lost, a core
 * that is not sampled any more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host.h"

#define RESETS  1000u
#define RATE_HZ 5000u

static bool has_said(const struct host *h, const char *words)
{
    char line[256];
    FILE *f = fopen(h->console_path, "r");
    bool found = false;

    CHECK(f != NULL);
    while (!found && fgets(line, sizeof line, f) != NULL)
        found = strstr(line, words) != NULL;
    fclose(f);
    return found;
}

/* Each HELLO begins a session, in which nobody samples yet. */
static void answer_hellos(struct host *h, uint64_t *answered)
{
    if (h->hellos > *answered)
        host_start(h, RATE_HZ, 0, 0);
    *answered = h->hellos;
}

static void hear_all_resets(struct host *h)
{
    uint64_t end = host_now_ms() + HOST_PATIENCE_MS;
    uint64_t answered = 0;

    while (!has_said(h, "reset: ")) {
        CHECK(host_now_ms() < end);
        answer_hellos(h, &answered);
        host_hear(h, 20, 0);
    }
    /* the last reset may have ended a session */
    host_hear(h, 500, 0);
    answer_hellos(h, &answered);
}

/* Of each core more is heard, the one that was reset too. */
static void check_sampled(struct host *h)
{
    uint64_t before[HOST_CORES_MAX] = {0};

    for (uint32_t i = 0; i < h->cores; i++)
        before[i] = h->core[i].samples;
    for (uint32_t i = 0; i < h->cores; i++) {
        uint64_t end = host_now_ms() + HOST_PATIENCE_MS;

        while (h->core[i].samples < before[i] + 100 && host_now_ms() < end)
            host_hear(h, 20, 0);
        CHECK(h->core[i].samples >= before[i] + 100);
    }
}

TEST(core_reset_1000_times_costs_what_is_counted)
{
    static const char *const options[] = {
        "--cpus", "3", "--timeout", "110", "--append", "resets=1000", NULL};
    struct host h;

    host_init(&h);
    host_boot(&h, SERIAL_RESET, options);
    host_meet(&h);
    hear_all_resets(&h);
    check_sampled(&h);
    host_finish(&h);
    host_check_accounts(&h);
    host_wait_end(&h);
    printf("%lu sessions\n", h.sessions);
    CHECK(host_console(&h, "core 2:", "joined") >= RESETS / 4);
}
