/* SPDX-License-Identifier: BSD-2-Clause */
#include "annotate/annotate_part.h"

#include <stdio.h>
#include <stdlib.h>

#include "annotate/annotate_output.h"

/* Part of the memory for one annotation. Packed, it takes a tenth of that. */
#define TEXT_MOST (4u << 20)

/* The annotation of function (number) of (v), or with 0 of the function that
 * the options of (r) name; (v) is of (p), and the last view that was made.
 * Release it by annotation_free(). NULL with (e) filled; (*unfound) is set if
 * there is no such function. */
static struct annotation *annotate_run(const struct guest_run *r,
                                       const struct profile *p,
                                       const struct view *v, uint32_t number,
                                       bool *unfound, struct err *e)
{
    const struct options *o = r->config.options;
    const struct annotate_job job = {.profile = p,
                                     .view = v,
                                     .image_map = r->images.image_map,
                                     .number = number,
                                     .function = o->shown.function,
                                     .folder = o->from.sources,
                                     .memory = guest_run_memory_of_part(r)};
    struct annotation *a = annotate(&job, unfound, e);

    if (a == NULL && !*unfound)
        guest_run_blame_missing(r, e);
    return a;
}

/* Add (a) as text to the code of (report), which takes (*bytes) so far. Returns
 * false if there is no room. */
static bool add(struct report *report, struct report_code *list, size_t *bytes,
                const struct annotation *a)
{
    struct report_code *code = &list[report->code_count];
    FILE *out;

    *code = (struct report_code){.function = a->function};
    out = open_memstream(&code->json, &code->size);
    if (out == NULL)
        return false;
    annotate_json(out, report, a);
    if (fclose(out) != 0 || *bytes + code->size > TEXT_MOST) {
        free(code->json);
        return false;
    }
    *bytes += code->size;
    report->code_count++;
    return true;
}

/* Does (row) have code to annotate? */
static bool has_code(const struct view *v, const struct view_row *row)
{
    return row->function >= VIEW_MARKS && row->self.samples != 0 &&
           !v->functions[row->function].nameless;
}

static void add_busiest(struct guest_run *r, struct report *report,
                        struct report_code *list)
{
    const struct view *v = report->view;
    uint32_t left = r->config.options->shown.page_code;
    size_t bytes = 0;

    for (size_t i = 0; i < v->total.row_count && left > 0; i++) {
        const struct view_row *row = &v->total.rows[i];
        struct annotation *a = NULL;
        struct err ignored; /* for example, its image is not available */
        bool unfound;

        if (has_code(v, row))
            a = annotate_run(r, report->profile, v, row->function, &unfound,
                             &ignored);
        if (a != NULL && add(report, list, &bytes, a))
            left--;
        annotation_free(a);
    }
}

/* Make room for (count) functions in (report). NULL if there is no memory. */
static struct report_code *make_room(struct report *report, uint32_t count)
{
    struct report_code *list = calloc(count, sizeof *list);

    report->code = list;
    report->code_count = 0;
    return list;
}

static int make_page_code(struct guest_run *r, struct report *report,
                          struct err *e)
{
    struct report_code *list =
        make_room(report, r->config.options->shown.page_code);

    (void)e; /* the page is valid without code */
    if (list != NULL)
        add_busiest(r, report, list);
    return 0;
}

static int make_annotation(struct guest_run *r, struct report *report,
                           struct err *e)
{
    size_t bytes = 0;

    if (report->view->total.all.samples == 0)
        return 0;
    report->annotation =
        annotate_run(r, report->profile, report->view, 0, &r->unfound, e);
    if (report->annotation == NULL)
        return -1;
    if (r->config.options->shown.page_code != 0) {
        struct report_code *list = make_room(report, 1);

        if (list != NULL)
            (void)add(report, list, &bytes, report->annotation);
    }
    return 0;
}

static void release(struct report *report)
{
    for (size_t i = 0; i < report->code_count; i++)
        free(report->code[i].json);
    free(report->code);
    annotation_free(report->annotation);
}

const struct report_part annotate_part = {
    .share = 2, .needed = true, .make = make_annotation, .release = release};

static const struct report_part page_part = {
    .share = 8, .make = make_page_code, .release = release};

const struct report_part *annotate_page_part(const struct options *o)
{
    return o->shown.page_code != 0 ? &page_part : NULL;
}

char *annotate_lines(const struct guest_run *r, const struct report *look,
                     uint32_t number, struct err *e)
{
    struct report report = *look;
    bool unfound;
    char *text = NULL;
    size_t size = 0;
    FILE *out;

    report.annotation =
        annotate_run(r, look->profile, look->view, number, &unfound, e);
    if (report.annotation == NULL)
        return NULL;
    out = open_memstream(&text, &size);
    if (out != NULL)
        annotate_text(out, &report);
    annotation_free(report.annotation);
    if (out != NULL && fclose(out) == 0)
        return text;
    free(text);
    (void)err_set(e, "out of memory");
    return NULL;
}
