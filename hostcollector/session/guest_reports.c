/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the reports on all runs of a session. */
#include <stdlib.h>

#include "cli/messages.h"
#include "diagnose/selected.h"
#include "session/guest_report.h"
#include "session/sampling.h"

static bool several(const struct guest_reports *all)
{
    return all->count > 1;
}

static void print_failure(struct guest_reports *all, const struct guest_run *r,
                          const struct err *e)
{
    messages_line(all->tell, all->job->command, r->name, e->text);
    all->failed = true;
}

static int add_to_overall(struct guest_reports *all, const struct guest_run *r,
                          const struct report *report, struct err *e)
{
    struct aggregate_totals sums = pipeline_sums(r->pipeline);
    struct account rest;

    if (report != NULL) {
        rest = selected_rest_of_all(report->profile);
        sums.samples = rest.samples;
        sums.lost = account_ticks(&rest) - rest.samples;
    }
    const struct overall_guest guest = {
        .name = r->name,
        .elf = guest_run_elf(r),
        .samples = sums.samples,
        .lost = sums.lost,
        .trouble = r->failed ? r->e.text : NULL,
    };

    return overall_add(&all->overall, &guest, report, r->images.image_map, e);
}

/* Print one line about a guest without a report, because of (why). The other
 * guests go on. */
static void miss_report(struct guest_reports *all, struct guest_run *r,
                        const struct err *why)
{
    guest_run_failed(r, why);
    if (several(all)) /* otherwise it is printed at the end */
        print_failure(all, r, why);
}

/* Add (r) to the summary of all guests, with its (report) or NULL. */
static void list_run(struct guest_reports *all, struct guest_run *r,
                     const struct report *report)
{
    struct err why;

    if (several(all) && add_to_overall(all, r, report, &why) != 0)
        print_failure(all, r, &why);
}

/* Add the part of the command to (g). Returns whether (g) can be written. */
static bool add_part(struct guest_reports *all, struct guest_report *g)
{
    const struct report_part *part = all->job->part;
    struct err why;

    if (part == NULL || part->make(g, &why) == 0)
        return true;
    all->partless = true;
    if (g->unfound)
        messages_line(all->tell, all->job->command, NULL, why.text);
    else
        miss_report(all, g->run, &why);
    return false;
}

/* Print a message about each file that shows only waits, if (g) has none. */
static void miss_waits(const struct guest_reports *all,
                       const struct guest_report *g)
{
    const struct outputs *out = all->job->outputs;

    for (unsigned i = 0; i < out->count && g->is.profile->wait_count == 0; i++)
        if (out->list[i].format->has_waits)
            messages_line(all->tell, all->job->command, g->is.guest,
                          "format waits: the kernel reports no waits of "
                          "threads, so there is nothing to write");
}

/* Write (g), the report on (r). Returns -1 if a file could not be written. */
static int write_report(struct guest_reports *all, struct guest_report *g,
                        struct err *e)
{
    const struct report_part *part = all->job->part;
    int result = 0;

    if (add_part(all, g)) {
        miss_waits(all, g);
        result = outputs_write(all->job->outputs, &g->is, e);
        if (result == 0)
            list_run(all, g->run, &g->is);
        if (part != NULL)
            part->release(&g->is);
    }
    all->seen |= guest_run_has_samples(g->run) && !g->unfound;
    return result;
}

/* Make the report (g) on a run, and write (g). Returns -1 if a file could not
 * be written. */
static int report_run(struct guest_reports *all, struct guest_run *r,
                      struct guest_report *g, struct err *e)
{
    const struct report_part *part = all->job->part;
    struct err why;

    if (!guest_run_has_report(r) ||
        guest_report_make(g, r, part != NULL ? part->share : 0, &why) != 0) {
        if (guest_run_has_report(r))
            miss_report(all, r, &why);
        all->partless |= part != NULL && part->needed;
        list_run(all, r, NULL);
        return 0;
    }
    int result = write_report(all, g, e);

    guest_report_fini(g);
    images_forget(all->images, all->memory / 8);
    return result;
}

static int report_all(struct guest_reports *all, struct err *e)
{
    struct overall overall;

    for (size_t i = 0; i < all->count; i++)
        if (report_run(all, all->runs[i], &all->list[i], e) != 0)
            return -1;
    if (!several(all))
        return 0;
    if (overall_finish(&all->overall, all->memory, &overall, e) != 0)
        return -1;
    return outputs_overall(all->job->outputs, &overall, e);
}

static bool any_report(struct guest_reports *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (guest_run_has_report(all->runs[i]))
            return true;
    return false;
}

static bool abandoned(const struct guest_reports *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->runs[i]->end == PIPELINE_ABANDONED)
            return true;
    return false;
}

int guest_reports_write(struct guest_reports *all, struct err *e)
{
    if (abandoned(all))
        return err_set(e, "left without a report");
    if (!any_report(all))
        return 0;
    all->list = calloc(all->count, sizeof *all->list);
    if (all->list == NULL)
        return err_memory(e);
    int result = outputs_open(all->job->outputs, e);

    if (result == 0)
        result = report_all(all, e);
    bool whole_guest = all->job->part != NULL && all->job->part->whole_guest;
    bool keep = !all->partless && (!whole_guest || !all->runs[0]->failed);

    if (outputs_close(all->job->outputs, keep, result == 0 ? e : NULL) != 0)
        result = -1;
    return result;
}

void guest_reports_fini(struct guest_reports *all)
{
    overall_fini(&all->overall);
    free(all->list);
}
