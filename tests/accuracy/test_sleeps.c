/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Are blocked times exact to the clock's unit, an instruction under icount? The
 * guest reads the clock before it calls the agent, and the agent reads it some
 * instructions later: always as many for a switch, and always as many for a
 * wake. So each sleep is longer than the guest's by one constant, which is the
 * same for all sleeps of both threads.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lab.h"

#define CALL_MAX 100 /* instructions from a call of the agent to its clock */

struct sleeper {
    int64_t sleeps, ticks;
};

/* What the guest says of (name). */
static struct sleeper told(const char *console, const char *name)
{
    struct sleeper s;
    char line[32];

    snprintf(line, sizeof line, "%s: ", name);
    const char *at = strstr(console, line);

    CHECK(at != NULL);
    CHECK_EQ(sscanf(at + strlen(line), "%" SCNd64 " sleeps, %" SCNd64,
                    &s.sleeps, &s.ticks),
             2);
    return s;
}

/* The constant of the sleeps of (name), by which all of them must differ. */
static int64_t difference(const struct lab_run *run, const char *name,
                          struct sleeper s)
{
    int64_t ticks = (int64_t)lab_blocked(run, name);
    int64_t more = ticks - s.ticks;

    printf("%s: %" PRId64 " ticks, of the guest %" PRId64 ", in %" PRId64
           " sleeps\n",
           name, ticks, s.ticks, s.sleeps);
    CHECK_EQ(more % s.sleeps, 0);
    CHECK(llabs(more / s.sleeps) <= CALL_MAX);
    return more / s.sleeps;
}

TEST(blocked_times_are_exact_to_the_tick) /* catches: time that is lost */
{
    const struct lab_run run = {
        .elf = LAB_GUEST,
        .options = "rate=10000 settle=3000",
        .by_memory = true,
    };

    lab_boot(&run);
    char *console = lab_console();
    struct sleeper brief = told(console, "Short"), slow = told(console, "Long");

    free(console);
    CHECK_EQ(difference(&run, "Short 0-0", brief),
             difference(&run, "Long 0-0", slow));
}
