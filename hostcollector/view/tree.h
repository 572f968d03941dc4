/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a call tree from paths, and folds its small branches. */
#ifndef TPROF_VIEW_TREE_H
#define TPROF_VIEW_TREE_H

#include <stddef.h>

#include "model/view.h"
#include "util/budget.h"
#include "view/path.h"
#include "view/smallest_first.h"

/* Zeroed: empty. */
struct tree {
    struct view_tree tree;
    size_t room;
    struct budget_table children; /* of all nodes but the root, by parent */
};

/* Make room for (path). Returns 0; -1 if (b) or memory does not allow it. */
int tree_make_room(struct tree *t, const struct path *path, struct budget *b);

/* Add (path), for which room was made. */
void tree_add(struct tree *t, const struct path *path);

/* Count the nodes' times in (f). */
void tree_count(const struct tree *t, struct smallest_first *f);

/*
 * Fold each branch with less time than (least) into a node (mark) with the same
 * parent. The samples of the branch then end in that node. Returns the number
 * of folded branches.
 */
size_t tree_fold(struct tree *t, double least, enum view_mark mark,
                 struct budget *b);

/* Sort the children of each node. Returns 0; -1 if there is no memory. */
int tree_finish(struct tree *t);

void tree_fini(struct tree *t);

#endif
