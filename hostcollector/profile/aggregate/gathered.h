/* SPDX-License-Identifier: BSD-2-Clause */
/* What an aggregate is made of, for the files that fill it. */
#ifndef TPROF_PROFILE_AGGREGATE_GATHERED_H
#define TPROF_PROFILE_AGGREGATE_GATHERED_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/aggregate/aggregate.h"
#include "profile/aggregate/entries.h"
#include "profile/aggregate/maps.h"
#include "profile/aggregate/sample_log.h"
#include "profile/aggregate/seconds.h"
#include "profile/aggregate/stack_pool.h"
#include "util/budget.h"

/* What is gathered of one core. */
struct sums {
    struct entries entries;
    struct tally left_out; /* of them, by aggregate_leave_out() */
    struct sample_log moments;
    uint64_t jumps, jump_weight;
    struct profile_latest latest;
    struct account account;
    bool has_stats, joined; /* joined: by any STATS, of whatever boot */
    struct core_stats stats;
    uint32_t stats_boot; /* boots that had come by then */
    double steal_ns, steal_tsc;
    uint64_t repaired, overwritten;
    uint64_t strangers;  /* ticks on cores that have not joined */
    bool has_more_stats; /* of this boot: (strangers) came between them */
    uint64_t before; /* samples of (account) when the session or window began */

    struct second_list seconds;
};

/* What a counter of the kernel's work has grown by since (began_tsc), as far as
 * that is added up. */
struct work_done {
    uint64_t began_tsc, units, ticks;
    uint32_t session; /* of profile.sessions; 0: none has come */
};

struct aggregate {
    struct aggregate_config config;
    struct budget budget;
    /* Of the budget: leaves tell more than deep stacks, ... */
    uint64_t kept_for_entries;
    uint64_t kept_for_leaves; /* ... also without their stacks */
    uint64_t moments_left;    /* that moments may take */
    uint64_t seed;
    struct stack_pool stacks;
    uint64_t refused_stacks;
    struct maps maps;

    bool window_began;   /* without a nonce, and no STATS came since */
    bool started;        /* a sample came */
    uint64_t origin_tsc; /* of this boot: its clock at the profile's start */
    bool rebooted;       /* the next sample sets origin_tsc anew */
    int64_t last;        /* sample, ticks since the start */
    int64_t from, to;    /* selected, likewise */

    struct profile profile;
    struct work_done work[WIRE_PROGRESS_COUNTERS];
    struct sums *sums; /* by core; there are (room) */
    uint32_t room;     /* for as many cores as a HELLO has told, at least one */
    uint32_t used;     /* all beyond are zero */
};

/* (core)'s sums; NULL if there is no such core. */
struct sums *aggregate_sums_of(struct aggregate *a, uint32_t core);

/* What events.progress does. */
void aggregate_progress(void *aggregate, const struct guest_progress *progress);

/* The number of (s), which is kept if there is room. */
uint32_t aggregate_add_stack(struct aggregate *a, const struct stack *s);

#endif
