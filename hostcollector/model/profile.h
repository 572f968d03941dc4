/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A finished profile: everything that a report is made from. Leaf. Built by
 * aggregate, which owns all of it; see aggregate_profile().
 */
#ifndef TPROF_MODEL_PROFILE_H
#define TPROF_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/account.h"
#include "model/guest.h"
#include "model/sample.h"
#include "model/stack.h"

/*
 * Lateness in classes of TSC ticks: class 0 is below 1024 ticks, each further
 * one reaches four times as far, the last has no upper end.
 */
#define LATE_CLASSES        8u
#define LATE_CLASS_LIMIT(i) (1024ull << (2 * (i))) /* upper end of class i */

/* A sample that is so late was kept away, by interrupts off or by the host: no
 * core takes so long to let an interrupt in. Some 20 us on usual machines. */
#define LATE_TICKS LATE_CLASS_LIMIT(3)

/*
 * Sums over samples. A sample's weight is the deadlines that it covers, its
 * time is period x weight; a jump weighs 1. A share is time over time, and its
 * effective number of samples time^2 / time_sq.
 */
struct tally {
    uint64_t samples;
    uint64_t weight;  /* deadlines */
    double time;      /* TSC ticks of the core's time */
    double time_sq;   /* sum of the squares */
    double late;      /* TSC ticks, summed */
    double late_time; /* of (time): samples that came LATE_TICKS late or more */
    uint64_t late_class[LATE_CLASSES]; /* samples */
};

/* What was interrupted: leaf and stack, with the sums of its samples. */
struct profile_entry {
    uint64_t leaf;  /* run-time address of the interrupted instruction */
    uint32_t stack; /* for profile_stack() */
    struct tally tally;
};

/* One second of one core, to mark bursts of loss. */
struct profile_second {
    uint32_t samples;
    uint32_t lost; /* ticks that left no sample, for whatever reason */
};

/* The newest selected samples of a core, the newest first. */
#define PROFILE_LATEST 4u
struct profile_latest {
    uint32_t count;
    struct {
        uint32_t entry; /* UINT32_MAX: profile_core.others */
        uint64_t tsc;
    } samples[PROFILE_LATEST];
};

struct profile_core {
    uint32_t core;
    bool selected; /* by aggregate_config.core; entries of others are empty */
    /* The guest has memory for this core, and says that the core never joined.
     * Lists of the guest's cores leave it out. A core that nothing is known of
     * is not absent. */
    bool absent;

    /* In the order of first appearance; each (leaf, stack) once. */
    const struct profile_entry *entries;
    size_t entry_count;
    /* Samples for whose leaf, too, there was no memory. */
    struct tally others;
    struct tally total; /* over the entries and (others) */
    /* What aggregate_leave_out() took from them: their sums are zero then, and
     * their moments are passed over. */
    struct tally left_out;
    /* Samples without an entry of their own, since aggregate_config.memory_max
     * was used up: they are in (others), or in entries of STACK_OTHERS. */
    uint64_t folded;

    struct profile_latest latest;

    uint64_t jumps;       /* samples flagged WIRE_SAMPLE_JUMP, as selected */
    uint64_t jump_weight; /* deadlines that these samples cover */

    /* Of the whole stream, whatever was selected. */
    struct account account;
    bool has_stats;
    struct core_stats stats; /* the last that came, counted from that boot */
    /* Nanoseconds that the host took away, out of so many TSC ticks: those
     * between STATS that tell stolen time. 0 and 0: unknown. */
    double steal_ns, steal_tsc;
    /* Times that the agent took the timer back, between the first STATS and the
     * last: what happened before does not count. */
    uint64_t repaired;
    /* Ticks on cores that have not joined: between the first STATS and the
     * last, or before, if only one came. With core 0's. */
    uint64_t strangers;
    /* Samples of boot that newer ones have overwritten in the guest, before the
     * first that came; in no account. */
    uint64_t overwritten;
    /* TSC ticks that the profiler's interrupt took for the ticks of (account),
     * each at the mean cost that (stats) gives; 0 without stats. */
    double cost_tsc;
    const struct sample_log *moments; /* for sample_log_read() */
    /* Every selected sample up to here has a moment, in TSC ticks since the
     * profile's start; INT64_MAX: every one has. */
    int64_t moments_until;
    const struct profile_second *seconds; /* from (profile.start_tsc) on */
    size_t second_count;
};

/* Samples of (c) for whose leaf there was no memory, as an entry. */
static inline struct profile_entry profile_others(const struct profile_core *c)
{
    return (struct profile_entry){
        .leaf = LEAF_UNKNOWN, .stack = STACK_OTHERS, .tally = c->others};
}

/* Was what (t) of (c) summed up left out? */
static inline bool profile_is_left_out(const struct profile_core *c,
                                       const struct tally *t)
{
    return c->left_out.samples != 0 && t->samples == 0;
}

/* Work that the guest did while it was sampled, as its kernel counts it. */
struct profile_work {
    char name[GUEST_COUNTER_NAME]; /* of the units; escape it */
    uint64_t units, ticks;         /* done in so many TSC ticks */
};

/* How the stream of bytes arrived. */
struct stream_health {
    uint64_t bytes;          /* received */
    uint64_t frames;         /* intact */
    uint64_t before_hello;   /* bytes skipped until the first HELLO */
    uint64_t skipped;        /* bytes skipped later: damaged */
    uint64_t damaged;        /* runs of bytes counted in (skipped) */
    uint64_t lost_frames;    /* by gaps in the sequence numbers */
    uint64_t left_out;       /* intact frames that came again, or too late */
    uint64_t malformed;      /* intact frames with senseless contents */
    uint64_t unknown_frames; /* of types that we do not know */
    uint64_t unknown_records;
    char first_malformed[160]; /* what was wrong with the first; "" if none */
};

/* About thirty years: nobody has sampled for so long. */
#define PROFILE_SECONDS_MAX 1e9

struct profile {
    bool has_guest; /* a HELLO came; else nothing below is known */
    struct guest guest;
    bool from_boot;    /* a session began at boot: WIRE_FEATURE_BOOT */
    bool from_memory;  /* of a guest that is dead: nothing more will come */
    uint32_t boots;    /* 1 + reboots seen */
    uint32_t sessions; /* times that a HELLO opened one */

    /* TSC ticks per second. 0 if neither told nor measured: then nothing is
     * known in seconds, and a selection by time selects nothing. */
    uint64_t tsc_hz;
    bool tsc_measured; /* by PINGs, not told by the guest */

    uint64_t start_tsc; /* of the first sample of any core */
    double duration_s;  /* from there to the last sample; 0 if unknown */
    /* The guest's clock says more than PROFILE_SECONDS_MAX of (duration_s),
     * which therefore is unknown. */
    bool clock_senseless;
    double from_s, to_s; /* selected; 0: from the start, to the end */
    double arrival_s;  /* host's, from first samples to last bytes; 0 unknown */
    double wall_start; /* of the first sample, seconds since 1970; 0 unknown */

    bool has_status;
    struct guest_status status; /* the last that came */
    uint64_t period_tsc;        /* the last sample's mean interval; 0: none */

    struct profile_core *cores; /* those that the guest named, by number */
    size_t core_count;
    size_t stack_count;      /* numbers below this are valid */
    uint64_t refused_stacks; /* not kept: aggregate_config.memory_max */

    /* Further images, by rising address; none overlaps another or text. Those
     * that have gone have addresses of their own, in stacks and leaves too. */
    const struct guest_map *maps;
    size_t map_count;      /* at most GUEST_MAPS_MAX */
    uint64_t refused_maps; /* images that overlap others, or were too many */

    /* Of the whole stream. Of several counters of one name the sum. */
    struct profile_work work[WIRE_PROGRESS_COUNTERS];
    size_t work_count;

    struct stream_health health;
    struct stack_pool *stacks; /* for profile_stack() */
};

#endif
