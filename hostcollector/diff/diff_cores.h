/* SPDX-License-Identifier: BSD-2-Clause */
/* The recordings that `collector diff` compares, core by core. */
#ifndef TPROF_DIFF_DIFF_CORES_H
#define TPROF_DIFF_DIFF_CORES_H

#include <stddef.h>
#include <stdint.h>

#include "diff/compare/pairs.h"
#include "diff/diff.h"
#include "model/view.h"

/* Zeroed: none. */
struct diff_cores {
    struct pairs *list; /* by core */
    size_t count, room;
    struct diff_core *shown;
};

/* Add the functions of (scope), a part of (v), to (pairs), for run (run) of
 * (side). Functions without a name are left out.
 * Returns 0; -1 if there is no memory. */
int diff_cores_add_scope(struct pairs *pairs, uint32_t run, unsigned side,
                         const struct view *v, const struct view_scope *scope);

/* Add the functions of each core of (v), for run (run) of (side).
 * Returns 0; -1 if there is no memory. */
int diff_cores_add(struct diff_cores *c, uint32_t run, unsigned side,
                   const struct view *v);

/* Returns the bytes of memory that (c) takes, including those that
 * diff_cores_state() will take for (runs). */
uint64_t diff_cores_bytes(const struct diff_cores *c, size_t runs);

/*
 * Store in (d) the changes on each core that has busy samples in every run.
 * (runs) are the numbers of runs before and after. At most COMPARE_FALSE of the
 * changes reported for all cores are false.
 * Returns 0; -1 if there is no memory.
 */
int diff_cores_state(struct diff_cores *c, const size_t runs[2],
                     struct diff *d);

/* Release what (c) holds. */
void diff_cores_fini(struct diff_cores *c);

#endif
