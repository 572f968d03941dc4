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

/* Add the functions of (scope), a part of (v), the run (run) of (side), to
 * (pairs). What has an address for its name is no function. Returns 0; -1 if
 * there is no memory. */
int diff_cores_add_scope(struct pairs *pairs, uint32_t run, unsigned side,
                         const struct view *v, const struct view_scope *scope);

/* The same for each core of (v). */
int diff_cores_add(struct diff_cores *c, uint32_t run, unsigned side,
                   const struct view *v);

/* Bytes that (c) takes, and with diff_cores_state() will take, of (runs). */
uint64_t diff_cores_bytes(const struct diff_cores *c, size_t runs);

/* Say in (d) what changed on each core that has busy samples in each of
 * (runs), which are of before and of after. Of all that is said to have changed
 * on any core at most COMPARE_FALSE is false. Returns likewise. */
int diff_cores_state(struct diff_cores *c, const size_t runs[2],
                     struct diff *d);

/* Release what (c) holds. */
void diff_cores_fini(struct diff_cores *c);

#endif
