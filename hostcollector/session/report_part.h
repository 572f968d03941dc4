/* SPDX-License-Identifier: BSD-2-Clause */
/* The part that a command adds to reports: code of functions, or a profile for
 * a compiler. */
#ifndef TPROF_SESSION_REPORT_PART_H
#define TPROF_SESSION_REPORT_PART_H

#include <stdbool.h>

#include "report/render.h"
#include "util/err.h"

struct guest_report;

struct report_part {
    unsigned share; /* the part gets 1/share of a view's memory */
    bool needed;    /* without the part, no file is written */
    /* the code in the recording is enough, if an image is missing */
    bool takes_told;
    bool whole_guest; /* if the guest failed, no file is written */
    /* Add the part to (g->is). Returns 0; -1 with (e) filled. */
    int (*make)(struct guest_report *g, struct err *e);
    /* Release what make() has added to (report), if anything. */
    void (*release)(struct report *report);
};

#endif
