/* SPDX-License-Identifier: BSD-2-Clause */
/* The scopes of all cores and of their total. Small nodes and rows are folded
 * when memory is full. */
#ifndef TPROF_VIEW_SCOPES_H
#define TPROF_VIEW_SCOPES_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/view.h"
#include "util/budget.h"
#include "view/path.h"
#include "view/smallest_first.h"
#include "view/tree.h"

/* A view_scope under construction. Zeroed, except scope.core. The owner limits
 * the number of nodes and rows. */
struct scope {
    /* scope_finish() sets its trees from (tree) and (idle_tree) */
    struct view_scope scope;
    struct tree tree, idle_tree;
    size_t row_room;
    struct budget_table table; /* of rows, which count from 1, by function */
};

/* Most bytes that a row takes. */
#define SCOPE_ROW_BYTES 264u

struct scopes {
    struct scope total;
    /* the only core with samples; (total) shares its data */
    struct scope *only;
    struct scope *cores;
    size_t core_count;
    /* Numbers of nodes and rows in all scopes, and their limits. */
    size_t nodes, most_nodes;
    size_t rows, most_rows;
    uint64_t folded; /* branches of (total), and rows */
    struct smallest_first fold;
};

/* Prepare (s), which is zeroed, for the cores of (p). Returns 0; -1 if there is
 * no memory. */
int scopes_init(struct scopes *s, const struct profile *p);

/* Let nodes and rows take (bytes) from now on. */
void scopes_limit(struct scopes *s, uint64_t bytes);

/* Add (path) to core number (core) and to (s->total). Returns 0; -1 if there is
 * no memory. */
int scopes_add(struct scopes *s, size_t core, const struct path *path);

/* Sort all scopes. Returns 0; -1 if there is no memory. */
int scopes_finish(struct scopes *s);

void scopes_fini(struct scopes *s);

#endif
