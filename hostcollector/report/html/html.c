/* SPDX-License-Identifier: BSD-2-Clause */
/* One HTML file: the page of html/page/, and its blocks of data. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/html/html_data.h"
#include "report/html/html_page.h"
#include "report/json_text.h"
#include "report/name.h"

/* Bytes for the paths of a guest, if a report names none. */
#define TREE_MEMORY (1ull << 29)

/* Room for a title. */
#define TITLE_SIZE 256

static void begin_page(struct render *to)
{
    (void)fwrite(html_page, 1, html_page_size, to->out);
}

/* Begin a block with (text). NULL if there is no memory. */
static struct pack *begin_block(struct render *to, const char *part,
                                const char *text, size_t length)
{
    struct pack *p = pack_begin(to->out, part);

    if (p == NULL)
        to->no_memory = true;
    else
        pack_text(p, text, length);
    return p;
}

static void end_block(struct render *to, struct pack *p)
{
    if (pack_end(p) != 0)
        to->no_memory = true;
}

/* Write the JSON text of (r) to (*text), to be freed. Returns its length; 0 if
 * there is no memory. */
static size_t text_of_head(char **text, const struct report *r,
                           const char *title, struct html_slots slots)
{
    size_t length = 0;
    FILE *out;

    *text = NULL;
    out = open_memstream(text, &length);
    if (out == NULL)
        return 0;
    html_head(out, r, title, slots);
    return fclose(out) == 0 ? length : 0;
}

static void write_guest(struct render *to, const struct report *r,
                        const char *title, struct html_slots slots,
                        const struct html_tree *t)
{
    char *text;
    size_t length = text_of_head(&text, r, title, slots);
    struct pack *p =
        length != 0 ? begin_block(to, "guest", text, length) : NULL;

    free(text);
    if (p == NULL) {
        to->no_memory = true;
        return;
    }
    html_write_tree(p, t, r->view);
    end_block(to, p);
}

/* Write lines and blocks of functions. */
static void write_code(struct render *to, const struct report *r)
{
    for (size_t i = 0; i < r->code_count; i++) {
        const struct report_code *code = &r->code[i];
        struct pack *p = pack_begin(to->out, "code");

        if (p == NULL) {
            to->no_memory = true;
            return;
        }
        pack_number(p, code->function);
        pack_text(p, code->json, code->size);
        end_block(to, p);
    }
}

static void write_moments(struct render *to, const struct report *r,
                          struct html_slots slots)
{
    for (size_t i = 0; i < r->profile->core_count; i++) {
        const struct profile_core *core = &r->profile->cores[i];

        if (core->moments == NULL || core->total.samples == 0)
            continue;

        struct pack *p = pack_begin(to->out, "moments");
        if (p == NULL) {
            to->no_memory = true;
            return;
        }
        html_write_moments(p, r->profile, i, core->entry_count, slots);
        end_block(to, p);
    }
}

static void write_titled(struct render *to, const struct report *r,
                         const char *title)
{
    struct html_tree tree = {
        .budget = {.left = r->memory != 0 ? r->memory : TREE_MEMORY}};
    struct html_slots slots = html_slots_of(r->profile);

    if (html_tree_fill(&tree, r->profile, r->view) != 0) {
        to->no_memory = true;
    } else {
        write_guest(to, r, title, slots, &tree);
        write_code(to, r);
        if (slots.count != 0)
            write_moments(to, r, slots);
    }
    html_tree_fini(&tree);
}

static void write_report(struct render *to, const struct report *r)
{
    char title[TITLE_SIZE];

    write_titled(to, r, name_of_report(title, sizeof title, r));
}

static void write_line(FILE *out, const struct overall_guest *g)
{
    (void)fputs("{\"name\":", out);
    json_string(out, g->name);
    (void)fputs(",\"elf\":", out);
    json_string(out, g->elf);
    (void)fputs(",\"trouble\":", out);
    json_string(out, g->trouble);
    (void)fprintf(out, ",\"samples\":%" PRIu64 ",\"lost\":%" PRIu64, g->samples,
                  g->lost);
    (void)fputs(",\"busy\":", out);
    json_number(out, g->busy);
    (void)putc('}', out);
}

/* Write one line for each guest, failed guests included. */
static void write_lines(FILE *out, const struct overall *o)
{
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < o->guest_count; i++) {
        json_comma(out, &first);
        write_line(out, &o->guests[i]);
    }
    (void)putc(']', out);
}

static void write_overall(struct render *to, const struct overall *o)
{
    size_t length = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &length);
    struct pack *p = NULL;

    for (size_t i = 0; i < o->image_count; i++) {
        const struct overall_image *image = &o->images[i];
        char name[TITLE_SIZE], title[TITLE_SIZE + 32];

        (void)snprintf(title, sizeof title, "%s on %zu guests",
                       name_of_image(name, sizeof name, image->report.elf),
                       image->guests);
        write_titled(to, &image->report, title);
    }
    if (out != NULL) {
        write_lines(out, o);
        if (fclose(out) == 0)
            p = begin_block(to, "overall", text, length);
    }
    free(text);
    if (p != NULL)
        end_block(to, p);
    else
        to->no_memory = true;
}

const struct render_ops render_html = {
    .name = "html",
    .suffix = "html",
    .follows = true,
    .has_code = true,
    .begin = begin_page,
    .write = write_report,
    .overall = write_overall,
};
