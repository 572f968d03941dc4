/* SPDX-License-Identifier: BSD-2-Clause */
/* The report on a run that has ended, the reports on several runs, and pictures
 * of a run that still goes on. */
#ifndef TPROF_SESSION_GUEST_REPORT_H
#define TPROF_SESSION_GUEST_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/origin.h"
#include "report/render.h"
#include "session/guest_run.h"
#include "session/overall_sums.h"
#include "session/window_options.h"
#include "util/err.h"

struct messages;
struct sampling_job;

struct guest_report {
    struct guest_run *run;
    struct view *view;
    struct report is; /* for formats; points into this struct */
    /* No function has the name in --function or --callers-of, or the name that
     * a struct report_part needs. Or no thread has the name in --thread,
     * or no requests have the name in --request. */
    bool unfound;
    uint64_t memory; /* memory for a struct report_part */
    /* origin of the report, with the labels of a recording */
    struct origin origin;
    char windows[WINDOW_OPTIONS_TEXT]; /* in (is) */
    char without[RENDER_WITHOUT]; /* functions that --exclude removed; "": none
                                   */
};

/*
 * Make the report (g) on (r), and add remarks to (r). There must be a report
 * (guest_run_has_report()). A struct report_part gets 1/(part_share) of the
 * memory; 0: no memory. Returns 0, and the caller calls guest_report_fini(); -1
 * with (e) filled.
 */
int guest_report_make(struct guest_report *g, struct guest_run *r,
                      unsigned part_share, struct err *e);

/* Does (asked) name kind (kind) of requests of (p)? It may be a part of the
 * kind's name, or its number. */
bool guest_report_means_kind(const struct profile *p, size_t kind,
                             const char *asked);

/* Release the view. The strings of (g->is) stay. */
void guest_report_fini(struct guest_report *g);

/* Return a view of (p) during the run (r), without remarks; release it by
 * view_free(). Release the previous view first. NULL with (e) filled on
 * failure. */
struct view *guest_report_look(struct guest_run *r, const struct profile *p,
                               struct err *e);

/* guest_reports.c: the reports on all runs of a session, and the sums over
 * these runs. */

struct guest_reports {
    const struct sampling_job *job; /* the job, to whose outputs the reports are
                                     * written */
    struct images *images;
    uint64_t memory; /* memory of a view; there is one view at a time */
    struct messages *tell;
    struct guest_run *const *runs;
    size_t count;

    /* Set by guest_reports_write(). */
    bool failed;               /* one of several guests failed, and the error
                                * was printed */
    bool partless;             /* the files would lack the part that the job
                                * adds */
    bool seen;                 /* there are samples that the options select */
    struct guest_report *list; /* reports on (runs) */
    struct overall_sum overall;
};

/* Write the reports on all samples of the runs, which have ended. If a run
 * fails, the reports on other runs are still written. Returns 0; -1 with (e)
 * filled. */
int guest_reports_write(struct guest_reports *all, struct err *e);

/* Release what guest_reports_write() has made. (all) may be zeroed. */
void guest_reports_fini(struct guest_reports *all);

#endif
