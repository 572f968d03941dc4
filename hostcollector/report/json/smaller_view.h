/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A smaller view, for formats that write a paragraph for each row and node. The
 * rows and nodes with the least time are folded. Without a limit, a stream of 4
 * MB with a quarter of a million functions became 600 MB of JSON.
 */
#ifndef TPROF_REPORT_JSON_SMALLER_VIEW_H
#define TPROF_REPORT_JSON_SMALLER_VIEW_H

#include "model/view.h"

/* Limits for nodes and rows of all scopes together, and for the view's edges
 * and lines. */
#define SMALLER_NODES (1u << 16)
#define SMALLER_ROWS  (1u << 15)
#define SMALLER_EDGES (1u << 15)
#define SMALLER_LINES (1u << 16)

/*
 * Copy (v), which must outlive the copy, within these limits. (folded) also
 * counts the parts that the copy lacks. Rows and branches of trees are folded
 * into VIEW_OTHERS, idle branches into VIEW_IDLE. Edges and lines are left out,
 * and so are functions that nothing refers to any more. The remaining functions
 * have new numbers. The copy has no (calls) and (callers), no siblings of
 * nodes, and no paths.
 *
 * Returns NULL if there is no memory.
 */
struct view *smaller_view_new(const struct view *v);

/* Release (v). NULL is allowed. */
void smaller_view_free(struct view *v);

#endif
