/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A finished profile: the data of every report. Leaf. aggregate builds the
 * profile and owns all of it; see aggregate_profile().
 */
#ifndef TPROF_MODEL_PROFILE_H
#define TPROF_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/account.h"
#include "model/guest.h"
#include "model/locks.h"
#include "model/requests.h"
#include "model/sample_batch.h"
#include "model/stack.h"
#include "model/threads.h"

/*
 * Classes of lateness in TSC ticks. Class 0 is below 1024 ticks. Each further
 * class ends at four times the limit of the class before it, and the last has
 * no upper limit.
 */
#define LATE_CLASSES        8u
#define LATE_CLASS_LIMIT(i) (1024ull << (2 * (i))) /* upper end of class i */

/* A sample this late was delayed by disabled interrupts or by the host: no core
 * takes so long to accept an interrupt. Some 20 us on usual machines. */
#define LATE_TICKS LATE_CLASS_LIMIT(3)

/*
 * Sums over samples. The weight of a sample is the number of deadlines that it
 * covers, but 1 for a sample with WIRE_SAMPLE_JUMP. The time of a sample is
 * period x weight. A share is the time of some samples divided by the time of
 * all. The effective number of samples of a tally is time^2 / time_sq.
 */
struct tally {
    uint64_t samples;
    uint64_t weight;  /* deadlines */
    double time;      /* TSC ticks of the core's time */
    double time_sq;   /* sum of the squares */
    double late;      /* TSC ticks of lateness, summed */
    double late_time; /* part of (time): samples LATE_TICKS late or more */
    uint64_t late_class[LATE_CLASSES]; /* samples in each class */
};

/* Add (t) to (sum). */
static inline void tally_add(struct tally *sum, const struct tally *t)
{
    sum->samples += t->samples;
    sum->weight += t->weight;
    sum->time += t->time;
    sum->time_sq += t->time_sq;
    sum->late += t->late;
    sum->late_time += t->late_time;
    for (size_t i = 0; i < LATE_CLASSES; i++)
        sum->late_class[i] += t->late_class[i];
}

/* A pair of leaf and stack, with the sums of its samples. */
struct profile_entry {
    uint64_t leaf;  /* run-time address of the interrupted instruction */
    uint32_t stack; /* number for profile_stack() */
    uint32_t unit;  /* used while samples are added */
    struct tally tally;
};

/* One second of one core, for showing bursts of losses. */
struct profile_second {
    uint32_t samples;
    uint32_t lost; /* ticks without a sample, for any reason */
};

/* The last selected samples of a core, the newest first. */
#define PROFILE_LATEST 4u
struct profile_latest {
    uint32_t count;
    struct {
        uint32_t entry; /* index; UINT32_MAX: profile_core.others */
        uint64_t tsc;
    } samples[PROFILE_LATEST];
};

struct profile_core {
    uint32_t core;
    /* by aggregate_config.core; the other cores have no entries */
    bool selected;
    /* The guest has memory for this core, and reports that the core never
     * joined. Lists of the guest's cores omit it. A core about which nothing is
     * known is not absent. */
    bool absent;

    /* By first appearance; each pair of leaf and stack occurs once. */
    const struct profile_entry *entries;
    size_t entry_count;
    /* Sum of the samples whose leaf found no memory. */
    struct tally others;
    struct tally total; /* of the entries and (others) */
    /* Sum of the entries that aggregate_leave_out() removed. Those entries stay
     * in the list with zero sums, and sample_log_read() skips their samples. */
    struct tally left_out;
    /* Samples without an entry of their own, because
     * aggregate_config.memory_max was exhausted. They are in (others), or in
     * entries of STACK_OTHERS. */
    uint64_t folded;

    struct profile_latest latest;

    uint64_t jumps;       /* selected samples with WIRE_SAMPLE_JUMP */
    uint64_t jump_weight; /* deadlines that these samples cover */

    /* Of the whole stream, also of samples that were not selected. */
    struct account account;
    bool has_stats;
    struct core_stats stats; /* the last STATS; counts since its boot */
    /* Stolen time: nanoseconds for which the host did not run the core, and the
     * TSC ticks in which this happened, between the first and the last STATS
     * with stolen time. 0 and 0: unknown. */
    double steal_ns, steal_tsc;
    /* Times that the agent took the timer back, from the first STATS to the
     * last. */
    uint64_t repaired;
    /* Ticks on cores that have not joined, from the first STATS to the last. If
     * there is only one STATS, the ticks up to it. Stored with core 0. */
    uint64_t strangers;
    /* Samples from boot that newer samples have overwritten in the guest before
     * the first sample was sent. No account includes them. */
    uint64_t overwritten;
    /* TSC ticks in the profiler's interrupt for the ticks of (account), at the
     * mean cost in (stats); 0 without stats. */
    double cost_tsc;
    const struct sample_log *moments; /* input of sample_log_read() */
    /* All selected samples before this time are in the log. In TSC ticks since
     * the profile's start; INT64_MAX: all selected samples. */
    int64_t moments_until;
    /* one for each second from (profile.start_tsc) on */
    const struct profile_second *seconds;
    size_t second_count;
    const struct profile_sched *sched; /* NULL: the guest does not report it */
};

/* Returns the sum of the samples of (c) whose leaf found no memory, as one
 * entry. */
static inline struct profile_entry profile_others(const struct profile_core *c)
{
    return (struct profile_entry){
        .leaf = LEAF_UNKNOWN, .stack = STACK_OTHERS, .tally = c->others};
}

/* Was the entry with the sums (t) of core (c) removed by aggregate_leave_out()?
 */
static inline bool profile_is_left_out(const struct profile_core *c,
                                       const struct tally *t)
{
    return c->left_out.samples != 0 && t->samples == 0;
}

/* Work that the guest did while it was sampled, as the kernel counts it. */
struct profile_work {
    char name[GUEST_COUNTER_NAME]; /* name of the unit; escape it */
    uint64_t units, ticks;         /* units done, in this many TSC ticks */
};

/* A moment of the guest's start, as the kernel marked it. */
struct profile_mark {
    char name[GUEST_COUNTER_NAME]; /* escape it */
    uint64_t tsc;
};

/* Counters of the stream of bytes. */
struct stream_health {
    uint64_t bytes;          /* received */
    uint64_t frames;         /* intact */
    uint64_t before_hello;   /* bytes skipped before the first HELLO */
    uint64_t skipped;        /* bytes skipped later, because of damage */
    uint64_t damaged;        /* runs of bytes that are counted in (skipped) */
    uint64_t lost_frames;    /* frames missing by their sequence numbers */
    uint64_t left_out;       /* intact frames that were repeated or too late */
    uint64_t malformed;      /* intact frames with invalid contents */
    uint64_t unknown_frames; /* of unknown types */
    uint64_t unknown_records;
    /* text on the first malformed frame; "" if none */
    char first_malformed[160];
};

/* Limit of a duration, about thirty years. */
#define PROFILE_SECONDS_MAX 1e9

struct profile {
    bool has_guest; /* a HELLO came; otherwise nothing below is known */
    struct guest guest;
    bool from_boot;   /* a session began at boot: WIRE_FEATURE_BOOT */
    bool from_memory; /* of a dead guest: the stream is complete */
    bool raw; /* show every sample at its address (image/names/displaced.h) */
    uint32_t boots;    /* 1 + reboots seen */
    uint32_t sessions; /* HELLO frames that opened a session */

    /* TSC ticks per second. 0 if neither the guest sent it nor a PING measured
     * it. Then no time is known in seconds, and a selection by time is empty.
     */
    uint64_t tsc_hz;
    bool tsc_measured; /* measured by PINGs, not sent by the guest */

    uint64_t start_tsc; /* of the first sample of any core */
    double duration_s;  /* from (start_tsc) to the last sample; 0 if unknown */
    /* The guest's clock gives a duration of more than PROFILE_SECONDS_MAX, so
     * (duration_s) is unknown. */
    bool clock_senseless;
    double from_s, to_s; /* selection; 0: from the start, to the end */
    /* from first samples to last bytes, host time; 0: unknown */
    double arrival_s;
    double wall_start; /* of the first sample, seconds since 1970; 0: unknown */

    bool has_status;
    struct guest_status status; /* the last STATUS */
    uint64_t period_tsc;        /* the last sample's mean interval; 0: none */

    struct profile_core *cores; /* cores that the guest named, by number */
    size_t core_count;
    size_t stack_count; /* valid stack numbers are below it */
    /* not kept, because of aggregate_config.memory_max */
    uint64_t refused_stacks;
    /* aggregate_config.memory_max, and a limit with which about nothing would
     * have been folded; 0: nothing was folded. */
    uint64_t memory, wanted;

    /* Loaded images, by rising address, without overlaps with each other or
     * with text. Unloaded images have addresses that no other image has, also
     * in stacks and leaves. */
    const struct guest_map *maps;
    size_t map_count; /* at most GUEST_MAPS_MAX */
    /* images that overlap others, or exceeded the limit */
    uint64_t refused_maps;

    /* Of the whole stream. Counters of the same name are added up. */
    struct profile_work work[WIRE_PROGRESS_COUNTERS];
    size_t work_count;

    /* Threads by first appearance, and their waits, in no order. Sums are of
     * the whole stream, not only of the selection. */
    const struct profile_thread *threads;
    size_t thread_count;
    const struct profile_wait *waits;
    size_t wait_count;
    uint64_t refused_threads, refused_waits; /* reports that had no room */

    /* Locks by first appearance, and the waits for them, in no order. Sums are
     * of the whole stream. */
    const struct profile_lock *locks;
    size_t lock_count;
    const struct profile_lock_wait *lock_waits;
    size_t lock_wait_count;
    uint64_t refused_locks; /* reports that had no room */

    /* Kinds of requests, by number, and slow requests, in no order. Sums are of
     * the whole stream. */
    const struct profile_request *requests;
    size_t request_count;
    const struct profile_slow *slow;
    size_t slow_count;

    /* Of the last boot, by time. */
    struct profile_mark marks[WIRE_PROGRESS_COUNTERS];
    size_t mark_count;

    struct stream_health health;
    struct stack_pool *stacks; /* input of profile_stack() */
};

#endif
