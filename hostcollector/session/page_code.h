/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines and blocks of functions, for pages: as text, of which all together have
 * a bound, and not as annotations, which take more. */
#ifndef TPROF_SESSION_PAGE_CODE_H
#define TPROF_SESSION_PAGE_CODE_H

#include <stddef.h>

#include "cli/options.h"
#include "report/render.h"
#include "session/guest_run.h"

/* Zeroed: empty. */
struct page_code {
    struct report_code list[OPTIONS_PAGE_CODE];
    size_t count, bytes;
};

/*
 * Fill (c) with the annotation of (report), or else with annotations of its
 * busiest functions, and point (report) to (c). The options of (r) give the
 * number of functions. Functions without available code are skipped, and
 * functions that exceed the size limit.
 */
void page_code_make(struct page_code *c, struct guest_run *r,
                    struct report *report);

/* Release what (c) holds. */
void page_code_fini(struct page_code *c);

#endif
