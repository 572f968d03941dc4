/* SPDX-License-Identifier: BSD-2-Clause */
#include "annotate/annotate_part.h"

#include <stdio.h>
#include <stdlib.h>

#include "annotate/annotate_output.h"
#include "annotate/places.h"
#include "image/names/image_map.h"
#include "session/guest_report.h"

/* Limit in bytes of all annotations of a page together, as JSON text. */
#define TEXT_MOST (4u << 20)

/* Make the annotation for (job) in the report (r), in at most (memory) bytes.
 * The function has the number (job->number) in the view. With number 0 it is
 * the function that the options of (r) name. The view must be the last one that
 * was made.
 *
 * Release the annotation by annotation_free(). NULL with (e) filled on failure;
 * (*unfound) is set if there is no such function. */
static struct annotation *annotate_run(const struct guest_run *r,
                                       struct annotate_job *job,
                                       uint64_t memory, bool *unfound,
                                       struct err *e)
{
    const struct options *o = r->config.options;
    struct shared_image *const *files = r->names.files;
    const struct image *told[NAMED_IMAGES_MAX];

    job->told_count = files != NULL ? r->names.named.count : 0;
    for (size_t i = 0; i < job->told_count; i++)
        told[i] = shared_image_get(files[i]);
    job->told = told;
    job->image_map = r->images.image_map;
    job->function = o->shown.function;
    job->folder = o->from.sources;
    job->memory = memory;

    struct annotation *a = annotate(job, unfound, e);

    job->told = NULL; /* valid for this call only */

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
static bool has_code(const struct guest_run *r, const struct view *v,
                     const struct view_row *row)
{
    const struct view_function *f = &v->functions[row->function];

    return row->function >= VIEW_MARKS && row->self.samples != 0 &&
           !f->nameless &&
           image_map_image(r->images.image_map, f->image)->file != NULL;
}

/* Functions whose samples are gathered in one walk over all entries. */
struct page_batch {
    uint32_t functions[OPTIONS_PAGE_CODE];
    struct places places[OPTIONS_PAGE_CODE];
    uint32_t count;
};

/* Put at most (most) functions with code into (b), from row (row) on. Returns
 * the row after the last function. */
static size_t choose(struct page_batch *b, const struct guest_run *r,
                     const struct view *v, size_t row, uint32_t most)
{
    b->count = 0;
    for (; row < v->total.row_count && b->count < most; row++)
        if (has_code(r, v, &v->total.rows[row]))
            b->functions[b->count++] = v->total.rows[row].function;
    return row;
}

/* Add the functions of (b). Returns how many were added. */
static uint32_t add_batch(struct page_batch *b, struct guest_report *g,
                          struct report_code *list, size_t *bytes)
{
    struct report *report = &g->is;
    uint32_t before = (uint32_t)report->code_count;

    for (uint32_t i = 0; i < b->count; i++) {
        struct annotate_job job = {.profile = report->profile,
                                   .view = report->view,
                                   .number = b->functions[i],
                                   .places = &b->places[i]};
        struct err ignored; /* for example, there is no memory */
        bool unfound;
        struct annotation *a =
            annotate_run(g->run, &job, g->memory, &unfound, &ignored);

        if (a != NULL)
            (void)add(report, list, bytes, a);
        annotation_free(a);
    }
    return (uint32_t)report->code_count - before;
}

static void add_busiest(struct guest_report *g, struct report_code *list)
{
    const struct view *v = g->view;
    uint32_t left = g->run->config.options->shown.page_code;
    struct page_batch *b = calloc(1, sizeof *b);
    size_t bytes = 0, row = 0;

    while (b != NULL && left > 0 && row < v->total.row_count) {
        row = choose(b, g->run, v, row, left);
        if (places_gather(b->places, b->functions, b->count, g->is.profile,
                          v) == 0)
            left -= add_batch(b, g, list, &bytes);
        for (uint32_t i = 0; i < b->count; i++)
            places_fini(&b->places[i]);
    }
    free(b);
}

/* Make room for (count) functions in (report). NULL if there is no memory. */
static struct report_code *make_room(struct report *report, uint32_t count)
{
    struct report_code *list = calloc(count, sizeof *list);

    report->code = list;
    report->code_count = 0;
    return list;
}

static int make_page_code(struct guest_report *g, struct err *e)
{
    struct report_code *list =
        make_room(&g->is, g->run->config.options->shown.page_code);

    (void)e; /* the page is valid without code */
    if (list != NULL)
        add_busiest(g, list);
    return 0;
}

static int make_annotation(struct guest_report *g, struct err *e)
{
    struct report *report = &g->is;
    struct annotate_job job = {.profile = report->profile,
                               .view = report->view};
    size_t bytes = 0;

    if (report->view->total.all.samples == 0)
        return 0;
    report->annotation = annotate_run(g->run, &job, g->memory, &g->unfound, e);
    if (report->annotation == NULL)
        return -1;
    if (g->run->config.options->shown.page_code != 0) {
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

const struct report_part annotate_part = {.share = 2,
                                          .needed = true,
                                          .takes_told = true,
                                          .make = make_annotation,
                                          .release = release};

static const struct report_part page_part = {
    .share = 8, .make = make_page_code, .release = release};

const struct report_part *annotate_page_part(const struct options *o)
{
    return o->shown.page_code != 0 ? &page_part : NULL;
}

char *annotate_lines(const struct guest_run *r, const struct report *look,
                     uint32_t number, struct err *e)
{
    struct annotate_job job = {
        .profile = look->profile, .view = look->view, .number = number};
    struct report report = *look;
    bool unfound;
    char *text = NULL;
    size_t size = 0;
    FILE *out;

    report.annotation =
        annotate_run(r, &job, guest_run_memory_left(r), &unfound, e);
    if (report.annotation == NULL)
        return NULL;
    out = open_memstream(&text, &size);
    if (out != NULL)
        annotate_text(out, &report);
    annotation_free(report.annotation);
    if (out != NULL && fclose(out) == 0)
        return text;
    free(text);
    (void)err_memory(e);
    return NULL;
}
