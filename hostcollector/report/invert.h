/* SPDX-License-Identifier: BSD-2-Clause */
/* Call trees from the inside out: callers are children. */
#ifndef TPROF_REPORT_INVERT_H
#define TPROF_REPORT_INVERT_H

#include "model/view.h"

/*
 * Make (to) from the tree (from) of (view). The children of a node in (to) are
 * its callers, and nodes have no time of their own. The outermost nodes are the
 * functions that samples hit. With (callers_of), they are the functions whose
 * names contain (callers_of): a sample counts at the outermost call of such a
 * function. Samples without such a function are left out.
 *
 * Returns 0, and free() releases to->nodes; -1 if there is no memory.
 */
int invert_tree(const struct view *view, const struct view_tree *from,
                const char *callers_of, struct view_tree *to);

#endif
