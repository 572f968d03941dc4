/* SPDX-License-Identifier: BSD-2-Clause */
/* The scopes of all cores and of their total. */
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

/* A view_scope under construction. Zeroed, except scope.core. */
struct scope {
    /* scope_finish() sets its trees from (tree) and (idle_tree) */
    struct view_scope scope;
    struct tree tree, idle_tree;
    size_t row_room;
    struct budget_table table; /* of rows, which count from 1, by function */
};

struct scopes {
    struct scope total;
    /* the only core with samples; (total) shares its data */
    struct scope *only;
    struct scope *cores;
    size_t core_count;
    size_t nodes, rows; /* in all scopes */
    uint64_t folded;    /* branches of (total), and rows */
    struct smallest_first fold;
};

/* Prepare (s), which is zeroed, for the cores of (p). Returns 0; -1 if there is
 * no memory. */
int scopes_init(struct scopes *s, const struct profile *p);

/* Make room for (path) in core number (core) and in (s->total). Returns 0; -1
 * if (b) or memory does not allow it. */
int scopes_make_room(struct scopes *s, size_t core, const struct path *path,
                     struct budget *b);

/* Add (path), for which room was made, to core number (core) and to
 * (s->total). */
void scopes_add(struct scopes *s, size_t core, const struct path *path);

/* Keep at most half of the nodes, or of the rows: those with the most time.
 * Branches and rows are folded into VIEW_OTHERS, idle branches into
 * VIEW_IDLE. */
void scopes_fold_nodes(struct scopes *s, struct budget *b);
void scopes_fold_rows(struct scopes *s, struct budget *b);

/* Sort all scopes. Returns 0; -1 if there is no memory. */
int scopes_finish(struct scopes *s);

void scopes_fini(struct scopes *s);

#endif
