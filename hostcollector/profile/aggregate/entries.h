/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of one core by leaf and stack. Each sample is added to exactly one
 * entry. */
#ifndef TPROF_PROFILE_AGGREGATE_ENTRIES_H
#define TPROF_PROFILE_AGGREGATE_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "util/budget.h"

/* The amounts that a short sample adds to a tally, for one unit and period:
 * the time of the sample, and one set of amounts for each of its possible
 * latenesses. */
struct short_tallies {
    uint16_t period;
    uint8_t shift;
    double time, time_sq;
    struct {
        double late, late_time;
        size_t late_class;
    } by_bits[1u << WIRE_CELL_LATE_BITS];
};

/* Zero except (seed) and (kept). The secret (seed) keeps a guest from choosing
 * leaves that collide. (kept) is the number of bytes of the budget that only
 * entries of STACK_OTHERS may take. */
struct entries {
    uint64_t seed;
    uint64_t kept;
    struct profile_entry *list;
    size_t count, capacity;
    struct budget_table table;          /* number n stands for list[n - 1] */
    struct tally others;                /* samples that are in no entry */
    struct short_tallies short_tallies; /* of the last batch */
};

/* Release what (e) holds. */
void entries_fini(struct entries *e);

/*
 * Add (count) samples of (batch)'s core, unit and period. If (b) or memory
 * does not allow a new entry, a sample is added to the entry of its leaf and
 * STACK_OTHERS, or else to (e->others). numbers[i] becomes the entry of
 * sample[i], or ENTRY_OTHERS.
 */
void entries_add(struct entries *e, const struct sample_batch *batch,
                 const struct sample *samples, uint32_t *numbers, size_t count,
                 struct budget *b);
#define ENTRY_OTHERS UINT32_MAX

/* Add (t) to the entry of (leaf) and (stack). If (b) or memory does not allow
 * a new entry, add (t) to the entry of (leaf) and STACK_OTHERS, or else to
 * (e->others). */
void entries_merge(struct entries *e, uint64_t leaf, uint32_t stack,
                   const struct tally *t, struct budget *b);

/* Add (t) to (sum). */
void tally_add(struct tally *sum, const struct tally *t);

/* (t) converted to ticks of a clock that runs (scale) times as fast. */
struct tally tally_scaled(const struct tally *t, double scale);

#endif
