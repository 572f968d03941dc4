/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of struct aggregate, for the files that fill it. */
#ifndef TPROF_PROFILE_AGGREGATE_GATHERED_H
#define TPROF_PROFILE_AGGREGATE_GATHERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "profile/aggregate/aggregate.h"
#include "profile/aggregate/distinct.h"
#include "profile/aggregate/entries.h"
#include "profile/aggregate/maps.h"
#include "profile/aggregate/sample_log.h"
#include "profile/aggregate/stack_pool.h"
#include "util/budget.h"
#include "util/pair_map.h"

/* Scheduling of one core, and its last report. */
struct sched_sums {
    struct profile_sched sum;
    struct guest_sched reported;
};

struct thread_reported;
struct wait_reported;

/* Threads and their waits, with the last report of each. The maps lead from the
 * guest's numbers to indices of lists, or to numbers. */
struct threads {
    struct pair_map numbers;
    struct profile_thread *list;
    struct thread_reported *reported;
    size_t count, room, reported_room;
    struct pair_map waits;
    struct profile_wait *wait_list;
    size_t wait_count, wait_room;
    struct pair_map entries; /* of the guest's table of waits */
    struct wait_reported *entry_list;
    size_t entry_count, entry_room;
    uint64_t refused, refused_waits; /* reports without room */
};

struct lock_reported;
struct lock_wait_reported;

/* Locks and the waits for them, with the last report of each. */
struct locks {
    struct pair_map numbers; /* address of a lock -> index */
    struct profile_lock *list;
    struct lock_reported *reported;
    size_t count, room, reported_room;
    struct pair_map waits;
    struct profile_lock_wait *wait_list;
    size_t wait_count, wait_room;
    struct pair_map entries; /* of the guest's table of waits */
    struct lock_wait_reported *entry_list;
    size_t entry_count, entry_room;
    uint64_t refused; /* reports without room */
};

struct request_reported;
struct slow_reported;

/* Requests: a record for each kind, or NULL, and the slowest requests. With the
 * last report of each. */
struct requests {
    struct profile_request *list; /* WIRE_REQUEST_KINDS */
    struct request_reported *reported;
    size_t count; /* 1 + the highest kind */
    struct profile_slow *slow;
    struct slow_reported *slow_reported;
    size_t slow_count, slow_room, reported_room;
};

/* seconds.c: one core's time line: samples and losses in each second. */

/* Zeroed: empty. free() releases the list. */
struct second_list {
    struct profile_second *list;
    size_t count, capacity;
    /* the second of the last sample; nearly always of the next sample, too */
    struct profile_second *last;
    int64_t from, to; /* span of (last), in ticks since the start */
};

/* The second at (ticks) of a clock of (hz); (hz) 0 means that the rate is
 * unknown. Valid until the next call. NULL if there is no room for the
 * second. */
struct profile_second *seconds_at(struct second_list *s, uint64_t hz,
                                  int64_t ticks, struct budget *b);

/* Add (lost) ticks, which were lost between (from) and (to). */
void seconds_lose(struct second_list *s, uint64_t hz, uint64_t lost,
                  int64_t from, int64_t to, struct budget *b);

/* Sums of one core. */
struct sums {
    struct entries entries;
    /* the part of (entries) that aggregate_leave_out() removed */
    struct tally left_out;
    struct sample_log moments;
    uint64_t jumps, jump_weight;
    struct profile_latest latest;
    struct account account;
    /* joined: some STATS of any boot said that the core samples */
    bool has_stats, joined;
    struct core_stats stats;
    uint32_t stats_boot; /* number of boots before the last STATS */
    double steal_ns, steal_tsc;
    uint64_t repaired, overwritten;
    uint64_t strangers;  /* ticks on cores that have not joined */
    bool has_more_stats; /* (strangers) grew between two STATS of this boot */
    uint64_t before; /* samples of (account) at the beginning of the session or
                      * window */

    struct second_list seconds;
    struct sched_sums *sched; /* NULL: no report came */
};

/* Growth of one counter of the kernel's work since (began_tsc), as far as it
 * has been added up. */
struct work_done {
    uint64_t began_tsc, units, ticks;
    uint32_t session; /* profile.sessions at the last report; 0: no report came
                       * yet */
};

struct aggregate {
    struct aggregate_config config;
    struct budget budget;
    /* (kept_for_entries): bytes of the budget that only entries may take,
     * because leaves are more useful than deep stacks. (kept_for_leaves): bytes
     * that only leaves without their stacks may take. */
    uint64_t kept_for_entries;
    uint64_t kept_for_leaves;
    uint64_t moments_left; /* bytes that the sample log may still take */
    uint64_t seed;
    struct stack_pool stacks;
    uint64_t reserved; /* bytes that aggregate_reserve() took */
    uint64_t refused_stacks;
    uint64_t refused_addresses; /* of these stacks */
    struct distinct *refused;   /* these stacks; NULL: none */
    struct maps maps;
    struct threads threads;
    struct locks locks;
    struct requests requests;

    /* the window has no nonce, and no STATS came since its beginning */
    bool window_began;
    bool started;        /* a sample came */
    uint64_t origin_tsc; /* the clock of this boot at the profile's start */
    bool rebooted;       /* the next sample sets origin_tsc anew */
    int64_t last;     /* time of the latest sample, in ticks since the start */
    int64_t from, to; /* the selected time, in ticks since the start */

    struct profile profile;
    struct work_done work[WIRE_PROGRESS_COUNTERS];
    struct sums *sums; /* (room) elements, by core */
    uint32_t room; /* as many cores as the largest HELLO said, at least one */
    uint32_t used; /* elements from this one on are zero */
};

/* Returns the sums of (core); NULL if there is no such core. */
struct sums *aggregate_sums_of(struct aggregate *a, uint32_t core);

/* Add (n) to (*to) without wrapping around: the sums of a hostile guest stay at
 * the maximum. */
static inline void aggregate_add_growth(uint64_t *to, uint64_t n)
{
    if (__builtin_add_overflow(*to, n, to))
        *to = UINT64_MAX;
}

/* Handles events.progress(). */
void aggregate_progress(void *aggregate, const struct guest_progress *progress);

/* Handle the events about threads. */
uint32_t aggregate_runs(void *aggregate, uint64_t serial, uint64_t id);
uint32_t aggregate_stack_of(void *aggregate, uint32_t number, uint32_t thread,
                            uint32_t request);
void aggregate_thread(void *aggregate, const struct guest_thread *thread);
void aggregate_wait(void *aggregate, const struct guest_wait *w);
void aggregate_sched(void *aggregate, const struct guest_sched *s);

/* Returns the number for a pair of numbers from the guest, which is MAP_NOTHING
 * if the pair is new. The key of (m) is mixed with a secret, so that the guest
 * cannot choose pairs that collide. NULL if there is no room. */
uint32_t *aggregate_put_pair(struct aggregate *a, struct pair_map *m,
                             uint64_t key, uint64_t kind);

/* Add the growth from (*last) to (now) to (*sum). A core that has read its
 * clock earlier may report less than before. The difference does not count
 * twice. */
static inline void aggregate_grow(uint64_t *sum, uint64_t *last, uint64_t now)
{
    if (now <= *last)
        return;
    aggregate_add_growth(sum, now - *last);
    *last = now;
}

/* A chain of return addresses: a number for the chain that the guest cannot
 * choose, and the number of its stack, which is added if it is new. */
uint64_t aggregate_chain_key(const struct aggregate *a, const uint64_t *frames,
                             uint32_t depth);
uint32_t aggregate_chain_stack(struct aggregate *a, const uint64_t *frames,
                               uint32_t depth, uint8_t end);

/* Returns 1 + the index of the wait that (entry) of the guest's table had in
 * (session); 0: not known. */
uint32_t aggregate_wait_at(const struct aggregate *a, uint32_t session,
                           uint32_t entry);

/* Handle the events about requests. */
uint32_t aggregate_request_of(void *aggregate, uint32_t kind, uint64_t number,
                              uint64_t tsc);
void aggregate_request(void *aggregate, const struct guest_request *g);
void aggregate_request_times(void *aggregate,
                             const struct guest_request_times *t);
void aggregate_slow(void *aggregate, const struct guest_slow *s);

/* Give the requests so far to (a->profile). Threads come first. */
void aggregate_fill_requests(struct aggregate *a);

/* Release the requests of (a). */
void aggregate_fini_requests(struct aggregate *a);

/* Handle the events about locks. */
void aggregate_lock(void *aggregate, const struct guest_lock *lock);
void aggregate_lock_wait(void *aggregate, const struct guest_lock_wait *w);

/* Give the locks so far to (a->profile). */
void aggregate_fill_locks(struct aggregate *a);

/* Release the locks of (a). */
void aggregate_fini_locks(struct aggregate *a);

/* Give the threads, waits and locks so far to (a->profile). */
void aggregate_fill_threads(struct aggregate *a);

/* Release the threads, waits and locks of (a). */
void aggregate_fini_threads(struct aggregate *a);

/* refused.c: count (s), for which there was no room. */
void aggregate_refuse_stack(struct aggregate *a, const struct stack *s);

/* refused.c: estimate the memory_max with which nothing would be folded. The
 * estimate is rather too high. 0: nothing was folded. */
uint64_t aggregate_wanted(const struct aggregate *a);

/* Returns the number of (s). Adds (s) if it is new and there is room. Returns
 * STACK_OTHERS if there is no room. */
uint32_t aggregate_add_stack(struct aggregate *a, const struct stack *s);

#endif
