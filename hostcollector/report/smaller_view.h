/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A view for formats that have a paragraph for each row and node: what took
 * least time is folded until there are not too many. A stream of 4 MB may name
 * a quarter of a million functions, which were 600 MB of JSON.
 */
#ifndef TPROF_REPORT_SMALLER_VIEW_H
#define TPROF_REPORT_SMALLER_VIEW_H

#include "model/view.h"

/* Of all scopes together; and of the view. */
#define SMALLER_NODES (1u << 16)
#define SMALLER_ROWS  (1u << 15)
#define SMALLER_EDGES (1u << 15)
#define SMALLER_LINES (1u << 16)

/*
 * (v), which must outlive it, with at most so much; (folded) counts what is
 * missing, too. Rows and branches of trees go into VIEW_OTHERS, idle branches
 * into VIEW_IDLE; edges and lines are left out, and so are functions that
 * nothing names any more: those that stay have other numbers. (calls) and
 * (callers), siblings of nodes, and paths are not there.
 *
 * Returns NULL if there is no memory.
 */
struct view *smaller_view_new(const struct view *v);

/* Release (v). NULL is allowed. */
void smaller_view_free(struct view *v);

#endif
