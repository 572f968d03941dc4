/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the table and the trees of one core, or of all cores, from paths. */
#ifndef TPROF_VIEW_SCOPE_H
#define TPROF_VIEW_SCOPE_H

#include <stddef.h>
#include <stdint.h>

#include "model/view.h"
#include "util/budget.h"
#include "view/path.h"
#include "view/smallest_first.h"
#include "view/tree.h"

/* A view_scope under construction. Zeroed, except scope.core. The owner limits
 * the number of nodes and rows. */
struct scope {
    struct view_scope
        scope; /* scope_finish() sets its trees from (tree) and (idle_tree) */
    struct tree tree, idle_tree;
    size_t row_room;
    struct budget_table table; /* of rows, which count from 1, by function */
};

/* Most bytes that a row takes. */
#define SCOPE_ROW_BYTES 264u

/* Add (path). Returns 0; -1 if there is no memory. */
int scope_add(struct scope *s, const struct path *path);

/* Count the times of nodes, or of rows, in (f). */
void scope_count_nodes(const struct scope *s, struct smallest_first *f);
void scope_count_rows(const struct scope *s, struct smallest_first *f);

/*
 * Fold branches, or rows, with less time than (least) into VIEW_OTHERS; fold
 * idle branches into VIEW_IDLE. Returns the number of folded branches or rows,
 * without idle branches.
 */
size_t scope_fold_nodes(struct scope *s, double least);
size_t scope_fold_rows(struct scope *s, double least);

static inline size_t scope_nodes(const struct scope *s)
{
    return s->tree.tree.node_count + s->idle_tree.tree.node_count;
}

/* Sort rows and trees. Returns 0; -1 if there is no memory. */
int scope_finish(struct scope *s);

/* Release all that (s) holds, including the rows and trees of its scope. */
void scope_fini(struct scope *s);

#endif
