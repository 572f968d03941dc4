/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a call tree from paths, and folds its small branches. */
#ifndef TPROF_VIEW_TREE_H
#define TPROF_VIEW_TREE_H

#include <stddef.h>

#include "model/view.h"
#include "util/budget.h"
#include "view/path.h"
#include "view/smallest_first.h"

/* Zeroed: empty. Its user bounds the nodes, by tree_fold(). */
struct tree {
    struct view_tree tree;
    size_t room;
    struct budget_table children; /* of nodes but the root, by parent */
};

/* Bytes that a node takes at most, at any time. */
#define TREE_NODE_BYTES 232u

/* Add (path). Returns 0; -1 if there is no memory. */
int tree_add(struct tree *t, const struct path *path);

/* Count the nodes' times in (f). */
void tree_count(const struct tree *t, struct smallest_first *f);

/*
 * Fold each branch that took less than (least) into a node (mark) beside it,
 * which stays. The samples of a branch end in that node then. Returns how many
 * branches were folded.
 */
size_t tree_fold(struct tree *t, double least, enum view_mark mark);

/* Sort the children of each node. Returns 0; -1 if there is no memory. */
int tree_finish(struct tree *t);

void tree_fini(struct tree *t);

#endif
