/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up decoded events into a profile: sums for each core, stack and leaf,
 * and the account of losses. */
#ifndef TPROF_PROFILE_AGGREGATE_AGGREGATE_H
#define TPROF_PROFILE_AGGREGATE_AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/core_set.h"
#include "model/events.h"
#include "model/profile.h"
#include "profile/aggregate/maps.h"

struct aggregate;

struct aggregate_config {
    struct core_set cores; /* only samples of these cores */
    /* Only samples from (from_s) to before (to_s), in seconds since the first
     * sample of any core; both 0: all. */
    double from_s, to_s;
    /* Bytes for stacks, entries and seconds; 0: 1 GiB. If the bytes are used
     * up, further entries are folded. No sample is left out. See
     * profile_core.folded. */
    uint64_t memory_max;
    bool no_moments; /* true: keep no record of the time of each sample */
    /* The stream consists of windows, each of which begins with HELLO. A window
     * continues the session of the previous window if their nonces are equal.
     * Without nonces, it continues the session if its counters begin where the
     * counters of the previous window ended. */
    bool windows;
    bool memory; /* the stream was read from a guest's memory */
    bool raw;    /* as profile.raw */
    /* Slow requests of this stream, from another profile of it; NULL: none */
    const struct slow_set *slow;
};

/* Returns an aggregate whose profile is empty. NULL if there is no memory. */
struct aggregate *aggregate_new(const struct aggregate_config *config);

/* Release (a) and its profile. NULL is allowed. */
void aggregate_free(struct aggregate *a);

/*
 * The callbacks of struct events that only the aggregate needs. (aggregate) is
 * a struct aggregate. If memory runs out, the aggregate counts samples in fewer
 * entries, and goes on.
 */
uint32_t aggregate_stack(void *aggregate, uint32_t core, const struct stack *s);
void aggregate_samples(void *aggregate, const struct sample_batch *batch);
void aggregate_loss(void *aggregate, const struct loss *loss);
void aggregate_account(void *aggregate, uint32_t core,
                       const struct account *account);
void aggregate_stats(void *aggregate, const struct core_stats *stats);

/* The callbacks above as a struct events, whose (sums) is a struct aggregate.
 * The other callbacks are NULL. */
extern const struct events aggregate_events;

/* Handles events.hello(). HELLO gives the rate of the guest's clock. If it does
 * not, aggregate_clock() gives the rate, before the first sample. HELLO also
 * gives the number of cores; events of other cores are ignored. Returns 0; -1
 * if there is no memory for so many cores. */
int aggregate_hello(struct aggregate *a, enum hello_kind kind,
                    const struct guest *g);
/* Handles events.map(). Returns whether the image is listed. An image counts as
 * MAPS_TAKEN if an earlier boot had it at another address, or did not have
 * it. */
enum maps_answer aggregate_map(struct aggregate *a,
                               const struct guest_map *map);
void aggregate_status(struct aggregate *a, const struct guest_status *status);
void aggregate_clock(struct aggregate *a, uint64_t tsc_hz);
/* Sets two times of the host: (wall_start), seconds since 1970, at which the
 * first sample was taken; and (s), the seconds between the last samples and
 * the arrival of their bytes. 0: unknown. */
void aggregate_host_clock(struct aggregate *a, double wall_start, double s);
void aggregate_health(struct aggregate *a, const struct stream_health *health);

/*
 * Add all sums of (p) to core 0. (p) is the profile of a guest that runs the
 * same images as the guests added before. slides[i] is the distance of
 * p->maps[i] from its address in the first of these guests. The last element of
 * (slides) is the kernel's. Samples for which there is no room are folded.
 */
void aggregate_merge(struct aggregate *a, const struct profile *p,
                     const uint64_t *slides);

/* Reduce the memory that is left by (bytes), down to 0. */
void aggregate_reserve(struct aggregate *a, uint64_t bytes);

/* Number of bytes of memory_max that are not used. */
uint64_t aggregate_memory_left(const struct aggregate *a);

/* Sums over all cores so far, cheap enough for a progress line. */
struct aggregate_totals {
    uint64_t samples; /* delivered */
    uint64_t lost;    /* ticks without a sample, for whatever reason */
    double seconds;   /* from the first sample to the last; 0: unknown */
};
struct aggregate_totals aggregate_sums(const struct aggregate *a);

/* The profile so far, with current totals. Owned by (a) and valid until the
 * next call on (a). NULL if there is no memory. */
const struct profile *aggregate_profile(struct aggregate *a);

/*
 * Remove the entries with out[core][entry] true from the profile that
 * aggregate_profile() returned last. out[core][entry_count] stands for
 * profile_core.others. A core's pointer may be NULL: then no entry of the core
 * is removed. Totals are updated; the account remains that of the whole
 * stream.
 */
void aggregate_leave_out(struct aggregate *a, bool *const *out);

/* Stack (number) of (p), whose frames live as long as (p). A number at or
 * above p->stack_count gives the same stack as STACK_UNKNOWN. */
struct stack profile_stack(const struct profile *p, uint32_t number);

#endif
