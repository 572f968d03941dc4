/* SPDX-License-Identifier: BSD-2-Clause */
/* The report on a run that has ended, the reports on several runs, and pictures
 * of a run that goes on. */
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
    bool unfound;     /* no function has the name in --function or --callers-of,
                         or that a struct report_part needs; or no thread that
                         in --thread */
    uint64_t memory;  /* for a struct report_part */
    struct origin origin; /* of the report, with the labels of a recording */
    char windows[WINDOW_OPTIONS_TEXT]; /* in (is) */
    char without[RENDER_WITHOUT]; /* functions that --exclude removed; "": none
                                   */
};

/*
 * Make the report (g) on (r), which has a report (guest_run_has_report()), and
 * add remarks to (r). A struct report_part gets 1/(part_share) of the memory;
 * 0: there is none.
 *
 * Returns 0, and the caller calls guest_report_fini(); -1 with (e) filled.
 */
int guest_report_make(struct guest_report *g, struct guest_run *r,
                      unsigned part_share, struct err *e);

/* Release the view. The strings of (g->is) stay. */
void guest_report_fini(struct guest_report *g);

/* Return a view of (p) during the run (r), without remarks; release it by
 * view_free(). No earlier view may be left. NULL with (e) filled on failure. */
struct view *guest_report_look(struct guest_run *r, const struct profile *p,
                               struct err *e);

/* guest_reports.c: the reports on all runs of a session, and the sums over
 * these. */

struct guest_reports {
    const struct sampling_job *job; /* its outputs get the reports */
    struct images *images;
    uint64_t memory; /* of a view, of which one exists at a time */
    struct messages *tell;
    struct guest_run *const *runs;
    size_t count;

    /* Set by guest_reports_write(). */
    bool failed;               /* of one guest of several, which was printed */
    bool partless;             /* the files would lack the job's part */
    bool seen;                 /* there are samples that the options select */
    struct guest_report *list; /* of (runs) */
    struct overall_sum overall;
};

/* Write the reports on all samples of runs that have ended. If a run fails, the
 * other runs go on. Returns 0; -1 with (e) filled. */
int guest_reports_write(struct guest_reports *all, struct err *e);

/* Release what guest_reports_write() has made. (all) may be zeroed. */
void guest_reports_fini(struct guest_reports *all);

#endif
