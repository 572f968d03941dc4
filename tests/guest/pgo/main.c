/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that answers requests, as one would write it: parsers with branches
 * for what hardly ever happens, small functions, handlers called through a
 * table. Prints how many instructions a request takes, under icount.
 *
 * Options: mix=1 or 2, what is asked for (load.h); rounds=N of LOAD_REQUESTS;
 * those of profile.h.
 */
#include "../accuracy/profile.h"
#include "cpu.h"
#include "guest.h"
#include "journal.h"
#include "load.h"
#include "must.h"
#include "server.h"
#include "store.h"

static struct tprof_counter served = {.name = "requests"};
static char bytes[4096];
static uint64_t answered;

static void serve_all(uint64_t rounds)
{
    for (uint64_t i = 0; i < rounds * LOAD_REQUESTS; i++) {
        struct answer out = {.bytes = bytes, .room = sizeof bytes};

        if (i % 1024 == 0)
            store_tick();
        server_serve(load_request(i), &out);
        answered += out.length;
        tprof_progress(&served, 1);
    }
}

int guest_main(void)
{
    uint64_t rounds = opt_u64("rounds", 10), begun;

    store_init();
    load_make((unsigned)opt_u64("mix", 1));
    profile_init();
    if (opt_u64("agent", 1) != 0)
        must(tprof_add_counter(&served));
    profile_begin();
    begun = cpu_rdtsc();
    serve_all(rounds);
    begun = cpu_rdtsc() - begun;
    profile_end();
    profile_fini();
    con_printf("pgo: %lu requests, %lu refused, %lu bytes, %lu faults\n",
               server_requests(), server_errors(), answered, journal_faults());
    con_printf("pgo: %lu instructions for 100 requests\n",
               begun * 100 / server_requests());
    return 0;
}
