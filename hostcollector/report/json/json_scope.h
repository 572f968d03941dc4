/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a JSON report that consist of samples: json_scope.c, json_time.c
 * and json_threads.c. */
#ifndef TPROF_REPORT_JSON_JSON_SCOPE_H
#define TPROF_REPORT_JSON_JSON_SCOPE_H

#include "report/json_object.h"
#include "report/render.h"

/* Member (key): (a), with its share of (whole). */
void json_amount(struct json_object *o, const char *key,
                 const struct profile *p, const struct amount *a,
                 const struct amount *whole);

/* Member "accounting": deadlines, ticks, samples and losses of each core; and
 * "absent_cores", if there are any. */
void json_accounts(struct json_object *o, const struct profile *p);

/* Members "images", "functions", "total", "cores" and "calls". */
void json_view(struct json_object *o, const struct report *r);

/* Members "threads", "thread_waits" and "scheduling", of the whole time. Left
 * out without threads. The view of (r) is not a smaller one. */
void json_threads(struct json_object *o, const struct report *r);

/* Member "filters": the selection; empty if everything is selected. */
void json_filters(struct json_object *o, const struct report *r);

/* Member "timeline": activities of each selected core over time. Left out
 * without a clock. */
void json_timeline(struct json_object *o, const struct report *r);

/* Member "boot": the phases of the guest's start (view/time/boot.h). Left out
 * without marks. */
void json_boot(struct json_object *o, const struct report *r);

/* Member "latency": functions by falling latency (view/time/latency.h). Left
 * out without busy samples. */
void json_latency(struct json_object *o, const struct report *r);

#endif
