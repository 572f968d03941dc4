/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of a guest that is served. */
#include "fleet/windows/watched.h"

#include "check.h"
#include "model/account.h"
#include "model/guest.h"

static struct watched w;

static void hello(enum hello_kind kind, uint32_t cores)
{
    const struct guest g = {.cores = cores};
    struct err e;

    CHECK_EQ(watched_hello(&w, kind, &g, &e), 0);
}

static void start_core(uint32_t core)
{
    const struct core_stats stats = {.core = core, .flags = WIRE_STATS_STARTED};

    watched_stats(&w, &stats);
}

static void count(uint32_t core, uint64_t samples)
{
    const struct account a = {.samples = samples};

    watched_account(&w, core, &a);
}

/* Catches: a guest that boots with fewer cores, and is told to have those of
 * before until its stream ends */
TEST(cores_are_those_of_this_boot)
{
    hello(HELLO_FIRST, 8);
    CHECK_EQ(watched_cores(&w), 0);
    start_core(0);
    count(0, 50);
    start_core(1);
    count(2, 7); /* it has told nothing else yet */
    CHECK_EQ(watched_cores(&w), 3);
    hello(HELLO_REBOOT, 8);
    CHECK_EQ(watched_cores(&w), 0);
    count(2, 7); /* nothing new: the account is of the whole stream */
    CHECK_EQ(watched_cores(&w), 0);
    start_core(0);
    count(1, 1);
    CHECK_EQ(watched_cores(&w), 2);
    CHECK_EQ(w.samples, 58);
    watched_fini(&w);
}
