/* SPDX-License-Identifier: BSD-2-Clause */
#include "pgo/pgo_part.h"

#include "pgo/pgo.h"
#include "session/guest_report.h"

static int make(struct guest_report *g, bool by_address, struct err *e)
{
    const struct guest_run *r = g->run;
    struct report *report = &g->is;
    struct pgo_job job = {.profile = report->profile,
                          .view = report->view,
                          .by_address = by_address,
                          .memory = g->memory};

    if (r->images.kernel != NULL)
        job.image = shared_image_get(r->images.kernel);
    report->sample_profile = pgo_profile(&job, e);
    if (report->sample_profile != NULL)
        return 0;
    if (job.image == NULL)
        guest_run_blame_missing(r, e);
    return -1;
}

static int make_by_name(struct guest_report *g, struct err *e)
{
    return make(g, false, e);
}

static int make_by_address(struct guest_report *g, struct err *e)
{
    return make(g, true, e);
}

static void release(struct report *report)
{
    sample_profile_free(report->sample_profile);
}

/* Writes nothing for a guest that failed: an empty sample profile would be
 * valid. */
const struct report_part pgo_part = {.share = 2,
                                     .needed = true,
                                     .whole_guest = true,
                                     .make = make_by_name,
                                     .release = release};

const struct report_part pgo_part_by_address = {.share = 2,
                                                .needed = true,
                                                .whole_guest = true,
                                                .make = make_by_address,
                                                .release = release};
