/* SPDX-License-Identifier: BSD-2-Clause */
/* Annotates one function after the other, and keeps each as text. */
#include "session/page_code.h"

#include <stdio.h>
#include <stdlib.h>

#include "annotate/annotate.h"
#include "annotate/annotate_json.h"

/* Of one guest, before it is packed to a tenth of that. */
#define TEXT_MOST (4u << 20)

/* Add (a). Returns false if there is no room for it. */
static bool add(struct page_code *c, const struct report *r,
                const struct annotation *a)
{
    struct report_code *code = &c->list[c->count];
    FILE *out;

    *code = (struct report_code){.function = a->function};
    out = open_memstream(&code->json, &code->size);
    if (out == NULL)
        return false;
    annotate_json(out, r, a);
    if (fclose(out) != 0 || c->bytes + code->size > TEXT_MOST) {
        free(code->json);
        return false;
    }
    c->bytes += code->size;
    c->count++;
    return true;
}

/* Is there anything to annotate in (row)? */
static bool has_code(const struct view *v, const struct view_row *row)
{
    return row->function >= VIEW_MARKS && row->self.samples != 0 &&
           !v->functions[row->function].nameless;
}

static void add_busiest(struct page_code *c, struct guest_run *r,
                        const struct report *report)
{
    const struct view *v = report->view;
    uint32_t left = r->config.options->page_code;

    for (size_t i = 0; i < v->total.row_count && left > 0; i++) {
        const struct view_row *row = &v->total.rows[i];
        struct annotation *a = NULL;
        struct err ignored; /* its image is not at hand, for one */

        if (has_code(v, row))
            a = guest_run_annotate(r, report->profile, v, row->function,
                                   &ignored);
        if (a != NULL && add(c, report, a))
            left--;
        annotation_free(a);
    }
}

void page_code_make(struct page_code *c, struct guest_run *r,
                    struct report *report)
{
    *c = (struct page_code){.bytes = 0};
    if (report->annotation != NULL)
        (void)add(c, report, report->annotation);
    else
        add_busiest(c, r, report);
    report->code = c->list;
    report->code_count = c->count;
}

void page_code_fini(struct page_code *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->list[i].json);
    *c = (struct page_code){.bytes = 0};
}
