/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of one core by leaf and stack. Each sample is added to exactly one
 * entry. */
#ifndef TPROF_PROFILE_AGGREGATE_ENTRIES_H
#define TPROF_PROFILE_AGGREGATE_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "profile/aggregate/distinct.h"
#include "util/budget.h"

/* The amounts that a short sample of one unit adds to a tally, for each of its
 * possible latenesses. */
struct short_tallies {
    uint32_t unit; /* shift << 16 | period */
    struct {
        double late, late_time;
        uint64_t late_class, unused; /* makes 32 bytes, so that a shift finds
                                      * the element */
    } by_bits[1u << WIRE_CELL_LATE_BITS];
};

/*
 * Zero except (seed) and (kept). The secret (seed) keeps a guest from choosing
 * leaves that collide. (kept) is the number of bytes of the budget that only
 * entries of STACK_OTHERS may take.
 *
 * An entry is open for short samples of one unit, profile_entry.unit. Adding
 * such a sample changes only the lateness and the classes of the entry. The
 * other sums follow from the number of short samples: entries_close() computes
 * them.
 */
struct entries {
    uint64_t seed;
    uint64_t kept;
    struct profile_entry *list; /* list[0] is unused; NULL: no entry yet */
    uint32_t count;             /* without list[0] */
    size_t capacity;
    struct budget_table table;
    struct tally others;      /* samples that are in no entry */
    struct distinct *refused; /* entries that had no room; NULL: none */
    struct short_tallies short_tallies; /* for the unit of the last batch */
};

/* Release what (e) holds. */
void entries_fini(struct entries *e);

/*
 * Add (count) samples of (batch)'s core, unit and period. If (b) or memory does
 * not allow a new entry, a sample is added to the entry of its leaf and
 * STACK_OTHERS, or else to (e->others). Stores in numbers[i] the number of the
 * entry of sample[i], from 1 on, or ENTRY_OTHERS.
 */
void entries_add(struct entries *e, const struct sample_batch *batch,
                 const struct sample *samples, uint32_t *numbers, size_t count,
                 struct budget *b);
#define ENTRY_OTHERS 0u

/* Bring the sums of all entries up to date. */
void entries_close(struct entries *e);

/* Add (t) to the entry of (leaf) and (stack). If (b) or memory does not allow
 * a new entry, add (t) to the entry of (leaf) and STACK_OTHERS, or else to
 * (e->others). */
void entries_merge(struct entries *e, uint64_t leaf, uint32_t stack,
                   const struct tally *t, struct budget *b);

/* Returns (t) converted to ticks of a clock that runs (scale) times as fast. */
struct tally tally_scaled(const struct tally *t, double scale);

#endif
