/* SPDX-License-Identifier: BSD-2-Clause */
/* Call trees from the inside out. */
#ifndef TPROF_REPORT_INVERT_H
#define TPROF_REPORT_INVERT_H

#include "model/view.h"

/*
 * Make (to) the tree (from) of (view) from the inside out: the children of a
 * node are its callers, and time of its own has no node. The outermost nodes
 * are the functions that samples hit; or, with (callers_of), those with that in
 * their names, of samples in which one of them is, each by its outermost call.
 *
 * Returns 0, and free() releases to->nodes; -1 if there is no memory.
 */
int invert_tree(const struct view *view, const struct view_tree *from,
                const char *callers_of, struct view_tree *to);

#endif
