/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the cost of the guest's units of work in the recordings of
 * `collector diff`, as a whole and by function. */
#ifndef TPROF_DIFF_DIFF_UNITS_H
#define TPROF_DIFF_DIFF_UNITS_H

#include <stddef.h>

#include "diff/compare/unit_cost.h"
#include "diff/diff.h"
#include "model/profile.h"
#include "model/view.h"

/* A counter of one side. */
struct diff_counter {
    char name[GUEST_COUNTER_NAME];
    struct unit_cost cost; /* of each run that has the counter */
};

/* A run: its time, and for each counter the seconds of a unit for each tick. */
struct diff_units_run {
    struct amount all;
    double tick_s[WIRE_PROGRESS_COUNTERS]; /* by counter of the side */
};

/* Zeroed: no run. */
struct diff_units {
    struct diff_counter counters[2][WIRE_PROGRESS_COUNTERS];
    size_t counts[2];
    struct diff_units_run *runs;
    size_t run_count, room;
    struct unit_row *rows; /* rows of all units */
};

/* Add the run (p), with the view (v), to (side). Add the runs of before first.
 * Returns 0; -1 if there is no memory. */
int diff_units_add(struct diff_units *u, unsigned side, const struct profile *p,
                   const struct view *v);

/* Store in (d), whose functions and rows are filled, the costs of units that
 * each run of (in) counts. Returns 0; -1 if there is no memory. */
int diff_units_state(struct diff_units *u, const struct compare_input *in,
                     struct diff *d);

/* Returns the bytes of memory that diff_units_state() takes for (functions). */
uint64_t diff_units_bytes(const struct diff_units *u, size_t functions);

/* Release what (u) holds. */
void diff_units_fini(struct diff_units *u);

#endif
