/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events -> profile: sums per core, stack and leaf, with the accounting beside
 * them. Feed it the events of decode.
 */
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
    struct core_set cores; /* only samples of these */
    /* Only samples from (from_s) to before (to_s), in seconds since the first
     * sample of any core; both 0: all. */
    double from_s, to_s;
    /* Bytes for stacks, entries and seconds; 0: 1 GiB. What does not fit is
     * folded: no sample is left out. See profile_core.folded. */
    uint64_t memory_max;
    bool no_moments; /* nobody will ask when which sample came */
    /* The stream is of windows, each of which begins with HELLO. One goes on
     * with the session of the last if the nonces are the same; without them, if
     * its counters begin where those of the last one ended. */
    bool windows;
    bool memory; /* the stream is what a guest's memory has */
};

/* An empty profile in the making. NULL if there is no memory. */
struct aggregate *aggregate_new(const struct aggregate_config *config);

/* Release (a) and its profile. NULL is allowed. */
void aggregate_free(struct aggregate *a);

/*
 * The events that concern the aggregate alone, as in struct events.
 * (aggregate) is a struct aggregate. Running out of memory is counted, and
 * never an error.
 */
uint32_t aggregate_stack(void *aggregate, uint32_t core, const struct stack *s);
void aggregate_samples(void *aggregate, const struct sample_batch *batch);
void aggregate_loss(void *aggregate, const struct loss *loss);
void aggregate_account(void *aggregate, uint32_t core,
                       const struct account *account);
void aggregate_stats(void *aggregate, const struct core_stats *stats);

/* A struct events with these five, for a struct aggregate as (sums). The other
 * callbacks are NULL. */
extern const struct events aggregate_events;

/* As in struct events. HELLO tells the rate of the guest's clock, or else
 * aggregate_clock() does, before the first sample; and the cores: events of
 * others are ignored. Returns 0; -1 if there is no memory for so many. */
int aggregate_hello(struct aggregate *a, enum hello_kind kind,
                    const struct guest *g);
/* As in struct events; what came of it. An image that an earlier boot had at
 * another address, or did not have, is taken. */
enum maps_answer aggregate_map(struct aggregate *a,
                               const struct guest_map *map);
void aggregate_status(struct aggregate *a, const struct guest_status *status);
void aggregate_clock(struct aggregate *a, uint64_t tsc_hz);
/* When the first sample was made, in seconds since 1970, and how many (s) after
 * its bytes the last ones came. 0: unknown. */
void aggregate_host_clock(struct aggregate *a, double wall_start, double s);
void aggregate_health(struct aggregate *a, const struct stream_health *health);

/*
 * Add everything in (p) to core 0. (p) is the profile of a guest that runs the
 * same images as the guests added before. slides[i] says how far p->maps[i]
 * lies from its address in the first of these guests; the kernel's slide is the
 * last. What does not fit is folded.
 */
void aggregate_merge(struct aggregate *a, const struct profile *p,
                     const uint64_t *slides);

/* Take (bytes) of the memory away, as far as they are there. */
void aggregate_reserve(struct aggregate *a, uint64_t bytes);

/* How many bytes of memory_max are not used. */
uint64_t aggregate_memory_left(const struct aggregate *a);

/* Sums over all cores so far, cheap enough for a progress line. */
struct aggregate_totals {
    uint64_t samples; /* delivered */
    uint64_t lost;    /* ticks without a sample, for whatever reason */
    double seconds;   /* from the first sample to the last; 0: unknown */
};
struct aggregate_totals aggregate_sums(const struct aggregate *a);

/*
 * The profile so far, with totals brought up to date. Owned by (a) and valid
 * until its next call. NULL if there is no memory.
 */
const struct profile *aggregate_profile(struct aggregate *a);

/*
 * Leave those entries out of the profile that aggregate_profile() has returned
 * last for which out[core][entry] is true; out[core][entry_count] is about
 * (others). A core may have NULL: none. Totals are brought up to date; the
 * account stays that of the whole stream.
 */
void aggregate_leave_out(struct aggregate *a, bool *const *out);

/* Stack (number) of (p), whose frames live as long as (p). A number that is not
 * below (p->stack_count) gives the same as STACK_UNKNOWN. */
struct stack profile_stack(const struct profile *p, uint32_t number);

#endif
