/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the text report: table.c, tree.c, footer.c, details.c and
 * overall.c. txt.c joins them. */
#ifndef TPROF_RENDER_TABLE_H
#define TPROF_RENDER_TABLE_H

#include "render/render.h"

/* The call tree of (scope) with what it needs as a heading. */
void table_tree(FILE *out, const struct report *r,
                const struct view_scope *scope);

/* Who calls, and is called by, the functions with most time of their own. */
void table_calls(FILE *out, const struct report *r);

/* How many cores the samples of (v) come from. */
size_t table_active_cores(const struct view *v);

/* A table for all cores, where there are several, and one for each. */
void table_all_functions(FILE *out, const struct report *r);

/* The table of functions of (scope), with a blank line before it. */
void table_functions(FILE *out, const struct report *r,
                     const struct view_scope *scope);

/* What there is to say over all guests. */
void table_overall(FILE *out, const struct overall *o);

/* Accounting, lateness, the profiler's cost, notes. */
void table_footer(FILE *out, const struct report *r);

/* What the agent says of itself, for --all. */
void table_details(FILE *out, const struct profile *p);

#endif
