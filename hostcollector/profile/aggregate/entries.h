/* SPDX-License-Identifier: BSD-2-Clause */
/* One core's sums by leaf and stack. Each sample is added to one of them. */
#ifndef TPROF_PROFILE_AGGREGATE_ENTRIES_H
#define TPROF_PROFILE_AGGREGATE_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "util/budget.h"

/* The sums that a short sample of one unit and period adds to a tally: its
 * time, and for each lateness that it may have, the rest. */
struct short_tallies {
    uint16_t period;
    uint8_t shift;
    double time, time_sq;
    struct {
        double late, late_time;
        size_t late_class;
    } by_bits[1u << WIRE_CELL_LATE_BITS];
};

/* Zero but for (seed), which keeps a guest from choosing colliding leaves, and
 * (kept), the bytes of the budget that entries of STACK_OTHERS alone may take.
 */
struct entries {
    uint64_t seed;
    uint64_t kept;
    struct profile_entry *list;
    size_t count, capacity;
    struct budget_table table;          /* number n: list[n - 1] */
    struct tally others;                /* what is in no entry */
    struct short_tallies short_tallies; /* of the last batch */
};

/* Release what (e) holds. */
void entries_fini(struct entries *e);

/*
 * Add (count) samples of (batch)'s core, unit and period. Where (b) or memory
 * does not allow a new entry, a sample goes to that of its leaf and
 * STACK_OTHERS, or else to (e->others). numbers[i] becomes the entry of
 * sample[i], or ENTRY_OTHERS.
 */
void entries_add(struct entries *e, const struct sample_batch *batch,
                 const struct sample *samples, uint32_t *numbers, size_t count,
                 struct budget *b);
#define ENTRY_OTHERS UINT32_MAX

/* Add (t) to the entry of (leaf) and (stack), or elsewhere, likewise. */
void entries_merge(struct entries *e, uint64_t leaf, uint32_t stack,
                   const struct tally *t, struct budget *b);

/* Add (t) to (sum). */
void tally_add(struct tally *sum, const struct tally *t);

/* (t) in ticks of a clock that runs (scale) times as fast. */
struct tally tally_scaled(const struct tally *t, double scale);

#endif
