/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the text report, a file each; txt.c joins them. What one must
 * know first: heading, summary, matrix, tree, waits, next. The rest, for
 * --details: table, calls, footer, details. Each part ends with a newline.
 */
#ifndef TPROF_REPORT_TABLE_H
#define TPROF_REPORT_TABLE_H

#include "diagnose/share.h"
#include "report/render.h"
#include "util/text.h"
#include "view/timeline.h"

/* Columns that (r) has. */
static inline size_t table_columns(const struct report *r)
{
    return r->columns != 0 ? r->columns : TEXT_COLUMNS;
}

/* What shares of (scope) in (r) are of: its busy time, or all of it. */
static inline const struct amount *table_whole(const struct report *r,
                                               const struct view_scope *scope)
{
    return r->of_all ? &scope->all : &scope->busy;
}

/* Has (r) to tell all that is known? */
static inline bool table_has_details(const struct report *r)
{
    return r->details || r->all;
}

/* heading.c */

/* One line: what the report is of, and what was lost. Then its warnings. */
void table_heading(FILE *out, const struct report *r);

/* How the guest was sampled, and images where there are several. */
void table_origin(FILE *out, const struct report *r);

/* cores.c */

/* How many cores the samples of (v) come from. */
size_t table_active_cores(const struct view *v);

/*
 * The cores to show where there is room for (most): all that have samples, or
 * else the busiest half and those that differ most from the others. Fills
 * (list), of (most) indices into (v->cores), by rising number, and returns how
 * many there are; or -1 if there is no memory.
 */
int table_choose_cores(const struct view *v, size_t most, size_t *list);

/* Where there are more cores the report shows so many of them. */
#define TABLE_CORES_ALL  15
#define TABLE_CORES_SOME 8
#define TABLE_CORES_MAX  GUEST_CORES_MAX

/* strip.c */

/* The selected seconds in as many slices as there is room for, each of a round
 * number of seconds. NULL: time is not known, or there is no memory. */
struct timeline *table_strip_new(const struct report *r);

/* How busy (core), an index into the profile's, was in each slice of (t): a
 * character for each. */
void table_strip(FILE *out, const struct timeline *t, size_t core);

/* summary.c: a line for each core, and one for all. */
void table_summary(FILE *out, const struct report *r);

/* matrix.c: functions by cores. */
void table_matrix(FILE *out, const struct report *r);

/* The part of some code's (time) that came late, which is (late) of it, if that
 * deserves a mark; or 0: it does not if all code is as late. */
double table_late_part(const struct report *r, double late, double time);

/* function.c: lines, callers and callees of r->function. */
void table_function(FILE *out, const struct report *r);

/* Which functions beside (found) fit r->function, too, if that is not its whole
 * name. */
void table_also(FILE *out, const struct report *r, uint32_t found);

/* annotate.c: r->annotation. */
void table_annotation(FILE *out, const struct report *r);

/* tree.c: the call tree of (scope), a blank line and its head among (lines). */
void table_tree(FILE *out, const struct report *r,
                const struct view_scope *scope, size_t lines);

/* As many steps from the root of (tree) as there is nothing else: the last node
 * of them, 0 if there is none. One that samples end in is none of them. */
uint32_t table_common_root(const struct view_tree *tree);

/* waits.c: the stacks in which cores go idle. */
void table_waits(FILE *out, const struct report *r);

/* next.c: commands to go on with. */
void table_next(FILE *out, const struct report *r);

/* Likewise, of (r) its recording alone, to look closer at the function (name),
 * if that is not NULL. */
void table_next_function(FILE *out, const struct report *r, const char *name);

/* calls.c: who calls, and is called by, the functions with most time of their
 * own. */
void table_calls(FILE *out, const struct report *r);

/* table.c */

/* "busy 88.1 % (86.9-89.2), idle 11.9 %, 4,551 samples", of (scope) of (v). */
void table_busy(FILE *out, const struct view *v,
                const struct view_scope *scope);

/* A table for all cores, where there are several, and one for each. */
void table_all_functions(FILE *out, const struct report *r);

/* The table of functions of (scope), with a blank line before it. */
void table_functions(FILE *out, const struct report *r,
                     const struct view_scope *scope);

/* session/overall_sums.c: what there is to say over all guests. */
void table_overall(FILE *out, const struct overall *o);

/* footer.c */

/* The account of each core's deadlines. */
void table_accounts(FILE *out, const struct profile *p);

/* Accounting, lateness, the profiler's cost, notes. */
void table_footer(FILE *out, const struct report *r);

/* details.c: what the agent says of itself. */
void table_details(FILE *out, const struct profile *p);

#endif
