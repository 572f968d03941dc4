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

/* tree.c: makes a call tree from paths, and folds its small branches. */

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

/* Add the nodes' times to the counts of (f). */
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
    /* the only core with samples, whose data (total) shares; or NULL */
    struct scope *only;
    struct scope *cores; /* of cores, then of threads */
    size_t core_count;   /* number of cores and threads */
    size_t first_thread; /* index in (cores) of the first thread */
    uint32_t *by_thread; /* index in (cores), by the thread's number; or NULL */
    size_t threads;      /* all numbers of threads are below this */
    size_t nodes, rows;  /* in all scopes */
    uint64_t folded;     /* branches of (total), and rows */
    struct smallest_first fold;
};

/* Most scopes that threads have. */
#define SCOPES_OF_THREADS (VIEW_THREADS + 2)

/* Prepare (s), which is zeroed, for the cores and threads of (p). Returns 0; -1
 * if there is no memory. */
int scopes_init(struct scopes *s, const struct profile *p);

/* Make room for (path) in core number (core), in thread number (thread) and in
 * (s->total). Returns 0; -1 if (b) or memory does not allow it. */
int scopes_make_room(struct scopes *s, size_t core, uint32_t thread,
                     const struct path *path, struct budget *b);

/* Add (path) to the three scopes for which scopes_make_room() made room. */
void scopes_add(struct scopes *s, size_t core, uint32_t thread,
                const struct path *path);

/* Number of bytes that scopes_trim() would give back to (b). */
uint64_t scopes_spare(const struct scopes *s);
void scopes_trim(struct scopes *s, struct budget *b);

/* Keep at most half of the nodes, or of the rows: the ones with the most time.
 * Branches and rows are folded into VIEW_OTHERS, idle branches into
 * VIEW_IDLE. */
void scopes_fold_nodes(struct scopes *s, struct budget *b);
void scopes_fold_rows(struct scopes *s, struct budget *b);

/* Sort all scopes. Returns 0; -1 if there is no memory. */
int scopes_finish(struct scopes *s);

void scopes_fini(struct scopes *s);

#endif
