/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the text report, one file each; text/txt.c joins them. A short
 * report has the heading, summary, matrix, tree, waits, and next commands. With
 * --details follow the table, calls, footer, and details. Each part ends with a
 * newline.
 */
#ifndef TPROF_REPORT_TABLE_H
#define TPROF_REPORT_TABLE_H

#include "diagnose/share.h"
#include "report/render.h"
#include "util/text.h"
#include "view/time/timeline.h"

/* Returns the number of columns that (r) has. */
static inline size_t table_columns(const struct report *r)
{
    return r->columns != 0 ? r->columns : TEXT_COLUMNS;
}

#define TABLE_NAME_LEAST 16

/* Returns the number of columns for a name after (used) columns of a line. A
 * name gets some columns in any case. */
static inline size_t table_left(const struct report *r, size_t used)
{
    size_t columns = table_columns(r);

    return columns > used + TABLE_NAME_LEAST ? columns - used
                                             : TABLE_NAME_LEAST;
}

/* Returns the amount that stands for 100 % in (scope): busy time, or all
 * time. */
static inline const struct amount *table_whole(const struct report *r,
                                               const struct view_scope *scope)
{
    return r->of_all ? &scope->all : &scope->busy;
}

/* Does (r) show all details? */
static inline bool table_has_details(const struct report *r)
{
    return r->details || r->all;
}

/* text/heading.c */

/* Write one line: guest, image, and losses. Then the warnings. */
void table_heading(FILE *out, const struct report *r);

/* Write the way in which the guest was sampled, and its images if there are
 * several. */
void table_origin(FILE *out, const struct report *r);

/* text/core_table.c */

/* Returns the number of cores of (v) that have samples. */
size_t table_active_cores(const struct view *v);

/*
 * Choose the cores to show if there is room for (most) cores: all cores with
 * samples, if there is room. Otherwise one half of (most) are the busiest
 * cores, and the other half are the cores that differ most from the others.
 * Fills (list), of (most) elements, with rising indices into (v->cores).
 *
 * Returns the number of chosen cores; -1 if there is no memory.
 */
int table_choose_cores(const struct view *v, size_t most, size_t *list);

/* A report shows all cores if there are TABLE_CORES_ALL at most, else
 * TABLE_CORES_SOME of them. */
#define TABLE_CORES_ALL  15
#define TABLE_CORES_SOME 8
#define TABLE_CORES_MAX  GUEST_CORES_MAX

/* text/sparkline.c */

/* Cut the selected seconds into slices, as many as there is room for. Each
 * slice has a round number of seconds. NULL if time is unknown or there is no
 * memory. */
struct timeline *table_strip_new(const struct report *r);

/* Write one character for each slice of (t): how busy (core) was. (core) is an
 * index into the profile's cores. */
void table_strip(FILE *out, const struct timeline *t, size_t core);

/* text/summary.c: a line for each core, and one for all cores. */
void table_summary(FILE *out, const struct report *r);

/* text/boot_text.c: the start of a guest that samples from boot. */
void table_boot(FILE *out, const struct report *r);

/* text/matrix.c: a table of functions by cores. */
void table_matrix(FILE *out, const struct report *r);

/* text/sorted_rows.c: the rows of all cores in the order of --sort, for free().
 * NULL if there is no memory. */
struct view_row *table_sorted(const struct report *r);

/* Returns the late part of some code's (time); 0 if the code gets no mark.
 * (late) is the time of the code's late samples. No code gets a mark if all
 * code is late. */
double table_late_part(const struct report *r, double late, double time);

/* Does much of the own time of (row) come from the functions that it calls, or
 * was much of it moved to its callers (view_path.moved)? */
bool table_is_moved(const struct view *v, const struct view_row *row);

/* text/function.c: lines, callers and callees of r->function. */
void table_function(FILE *out, const struct report *r);

/* List the functions other than (found) whose names contain r->function, if
 * r->function is not the whole name of (found). */
void table_also(FILE *out, const struct report *r, uint32_t found);

/* If samples at the beginning of (function) count for its callers
 * (image/names/displaced.h), write how many do. */
void table_gave(FILE *out, const struct report *r, uint32_t function);

/* text/tree_text.c: the call tree of (scope), with a blank line and a head, in
 * (lines) lines. The head has the scope's (name), if (name) is not NULL. */
void table_tree(FILE *out, const struct report *r,
                const struct view_scope *scope, const char *name, size_t lines);

/* Returns the last node of the path that all samples of (tree) share, counted
 * from the root. No sample ends in this node. 0 if there is no such node. */
uint32_t table_common_root(const struct view_tree *tree);

/* text/waits.c: the stacks in which cores go idle. */
void table_waits(FILE *out, const struct report *r);

/* text/thread_times.c: the times of threads, and the scheduling of cores. */
void table_threads(FILE *out, const struct report *r);
void table_scheduling(FILE *out, const struct report *r);

/* text/request_rows.c: the times of requests, and the slowest requests. */
void table_requests(FILE *out, const struct report *r);

/* Returns the time, in ticks, below or at which the (share) of the requests of
 * (k) lie: the middle of a bucket, but never more than the longest time. -1 if
 * the times are not known. */
double table_percentile(const struct profile_request *k, double share);

/* text/blocked_threads.c: the stacks at which threads were blocked, and the
 * stacks that ended these waits. */
void table_thread_waits(FILE *out, const struct report *r);

/* Write a line with the functions of (stack) from number (from) on, without its
 * (less) innermost functions, in (width) columns. */
void table_stack(FILE *out, const struct view *v, const struct view_wait *stack,
                 size_t from, size_t less, size_t width);

/* text/lock_rows.c: the locks for which threads waited, and who held them. */
void table_locks(FILE *out, const struct report *r);

/* Write the stack of (wait), an index of profile.waits, as that table does, in
 * (width) columns, and end the line. */
void table_wait_stack(FILE *out, const struct report *r, uint32_t wait,
                      size_t width);

/* text/next.c: commands to type next. */
void table_next(FILE *out, const struct report *r);

/* Write the commands that show the function (name) in detail, if (name) is not
 * NULL. The commands use only the recording of (r). */
void table_next_function(FILE *out, const struct report *r, const char *name);

/* text/call_table.c: callers and callees of the functions with the most time of
 * their own. */
void table_calls(FILE *out, const struct report *r);

/* text/function_table.c */

/* Write "busy 88.1 % (86.9-89.2), idle 11.9 %, 4,551 samples" for (scope) of
 * (v). */
void table_busy(FILE *out, const struct view *v,
                const struct view_scope *scope);

/* Write a table for all cores, if there are several, and a table for each
 * core. */
void table_all_functions(FILE *out, const struct report *r);

/* Write a blank line and the table of functions of (scope). */
void table_functions(FILE *out, const struct report *r,
                     const struct view_scope *scope);

/* text/overall.c: a line for each guest, and sums over all guests. */
void table_overall(FILE *out, const struct overall *o);

/* text/footer.c */

/* Write the account of each core's deadlines. */
void table_accounts(FILE *out, const struct report *r);

/* Write accounts, lateness, the profiler's cost, and notes. */
void table_footer(FILE *out, const struct report *r);

/* text/details.c: facts that the agent sent about itself. */
void table_details(FILE *out, const struct report *r);

#endif
