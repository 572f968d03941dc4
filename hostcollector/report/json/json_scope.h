/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a JSON report that show samples and threads: json_scope.c,
 * json_time.c, json_requests.c and json_threads.c. Also the smaller view from
 * which json_scope.c writes. */
#ifndef TPROF_REPORT_JSON_JSON_SCOPE_H
#define TPROF_REPORT_JSON_JSON_SCOPE_H

#include "model/view.h"
#include "report/json_object.h"
#include "report/render.h"

/* Write member (key): the amount (a), with its share of (whole). */
void json_amount(struct json_object *o, const char *key,
                 const struct profile *p, const struct amount *a,
                 const struct amount *whole);

/* Write member (key): (ticks) in seconds. Left out without a clock. */
void json_seconds(struct json_object *o, const char *key,
                  const struct profile *p, double ticks);

/* Write member "stack": the names of the functions of (w), outermost first.
 */
void json_stack(struct json_object *o, const struct report *r,
                const struct view_wait *w);

/* Write member "accounting": deadlines, ticks, samples and losses of each core.
 * Also write "absent_cores", if there are any. */
void json_accounts(struct json_object *o, const struct profile *p);

/* Write members "images", "functions", "total", "cores" and "calls". */
void json_view(struct json_object *o, const struct report *r);

/* Write members "requests" and "slow_requests", of the whole time. Left out
 * without requests. */
void json_requests(struct json_object *o, const struct report *r);

/* Write members "threads", "thread_waits" and "scheduling", of the whole time.
 * Left out without threads. The view of (r) must be the whole view. */
void json_threads(struct json_object *o, const struct report *r);

/* Write members "locks" and "lock_waits". Left out if the kernel reports no
 * locks. */
void json_locks(struct json_object *o, const struct report *r);

/* Write member "filters": the selection; empty if everything is selected. */
void json_filters(struct json_object *o, const struct report *r);

/* Write member "timeline": activities of each selected core over time. Left out
 * without a clock. */
void json_timeline(struct json_object *o, const struct report *r);

/* Write member "boot": the phases of the guest's start (view/time/boot.h). Left
 * out without marks. */
void json_boot(struct json_object *o, const struct report *r);

/* Write member "latency": functions by falling latency (view/time/latency.h).
 * Left out without busy samples. */
void json_latency(struct json_object *o, const struct report *r);

/* smaller_view.c: a smaller view, for formats that write a paragraph for each
 * row and node. The rows and nodes with the least time are folded. Without a
 * limit, a stream of 4 MB with a quarter of a million functions became 600 MB
 * of JSON. */

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
