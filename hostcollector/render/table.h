/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the text report, in table.c, tree.c and footer.c. */
#ifndef TPROF_RENDER_TABLE_H
#define TPROF_RENDER_TABLE_H

#include "render/render.h"

/* The call tree of (scope) with what it needs as a heading. */
void table_tree(FILE *out, const struct report *r,
                const struct view_scope *scope);

/* Who calls, and is called by, the functions with most time of their own. */
void table_calls(FILE *out, const struct report *r);

/* The table of functions of (scope), with a blank line before it. */
void table_functions(FILE *out, const struct report *r,
                     const struct view_scope *scope);

/* The part of (path) behind the last slash. */
const char *table_base_name(const char *path);

/* What there is to say over all guests. */
void table_overall(FILE *out, const struct overall *o);

/* Accounting, lateness, the profiler's cost, notes. */
void table_footer(FILE *out, const struct report *r);

/* What the agent says of itself, for --all. */
void table_details(FILE *out, const struct profile *p);

/* "all cores" or "core N" in (buf), of 24 bytes at least. Returns (buf). */
const char *table_scope_name(char *buf, size_t size, const struct report *r,
                             const struct view_scope *scope);

#endif
