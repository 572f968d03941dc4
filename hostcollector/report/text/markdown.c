/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as Markdown, for an issue or a pull request. */
#include "report/markdown_text.h"
#include "report/name.h"
#include "report/render.h"

#include <inttypes.h>
#include <stdlib.h>

#include "diagnose/share.h"
#include "report/table.h"
#include "util/text.h"

/* Default number of rows, and the smallest share of a row. */
#define ROWS       12
#define SHARE_MIN  .01
#define NAME_WIDTH 80
/* Lines of the call tree. */
#define TREE_LINES 30

typedef void write_text(FILE *out, const struct report *r);

/* The text of (write), without colours, for free(). NULL if there is no text or
 * no memory. */
static char *text_of(struct render *to, const struct report *r,
                     write_text *write)
{
    struct report plain = *r;
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    plain.colour = false;
    if (memory != NULL) {
        write(memory, &plain);
        to->no_memory |= fclose(memory) != 0;
    }
    to->no_memory |= text == NULL;
    if (text != NULL && *text != '\0')
        return text;
    free(text);
    return NULL;
}

/* Write the text of (write) as a block of code. */
static void write_block(struct render *to, const struct report *r,
                        write_text *write)
{
    char *text = text_of(to, r, write);

    if (text != NULL)
        markdown_text_block(to->out, text);
    free(text);
}

/* Write the text of (write) as a block of code, folded until the reader opens
 * it. */
static void write_folded(struct render *to, const struct report *r,
                         const char *title, write_text *write)
{
    char *text = text_of(to, r, write);

    if (text != NULL) {
        (void)fprintf(to->out, "\n<details><summary>%s</summary>\n", title);
        markdown_text_block(to->out, text);
        (void)fputs("\n</details>\n", to->out);
    }
    free(text);
}

static void write_warnings(FILE *out, const struct report *r)
{
    for (size_t i = 0; i < r->remarks->count; i++) {
        if (!r->remarks->list[i].warning)
            continue;
        (void)fputs("! ", out);
        text_wrap_at(out, 2, r->remarks->list[i].text, TEXT_COLUMNS);
    }
}

static void write_tree(FILE *out, const struct report *r)
{
    table_tree(out, r, &r->view->total, NULL, TREE_LINES);
}

static void write_row(FILE *out, const struct report *r,
                      const struct view_row *row)
{
    const struct view_function *f = &r->view->functions[row->function];
    const struct amount *whole = table_whole(r, &r->view->total);
    struct share self = share_of(&row->self, whole);
    double late = table_late_part(r, row->late, row->self.time);
    char name[NAME_SHORT], line[NAME_SHORT], error[SHARE_TEXT];

    (void)fprintf(out, "| %.1f | %s | %.1f | ", 100 * self.p,
                  share_error(error, self),
                  100 * share_of(&row->total, whole).p);
    markdown_text_code(out, name_short(name, f->name, NAME_WIDTH));
    if (late > 0)
        (void)fprintf(out, " late %.0f %%", 100 * late);
    (void)fputs(" | ", out);
    if (f->file != NULL) {
        (void)snprintf(line, sizeof line, "%s:%" PRIu32,
                       text_base_name(f->file), f->line);
        markdown_text_code(out, line);
    }
    (void)fputs(" |\n", out);
}

/* Write the functions of all cores in the order of --sort. */
static void write_functions(struct render *to, const struct report *r)
{
    const struct view_scope *all = &r->view->total;
    size_t rows = r->top != 0 ? r->top : ROWS;
    struct view_row *list = table_sorted(r);

    to->no_memory |= list == NULL;
    if (list == NULL)
        return;
    rows = r->all || rows > all->row_count ? all->row_count : rows;
    (void)fputs("\n| SELF % | +- | TOTAL % | FUNCTION | LINE |\n"
                "| ---: | ---: | ---: | --- | --- |\n",
                to->out);
    for (size_t i = 0; i < rows; i++)
        if (r->all || r->top != 0 || r->sort != SORT_SELF ||
            share_of(&list[i].self, table_whole(r, all)).p >= SHARE_MIN)
            write_row(to->out, r, &list[i]);
    free(list);
}

static void write_markdown(struct render *to, const struct report *r)
{
    char name[NAME_PLAIN];

    (void)fputs(RENDER_MARKDOWN_MARK "### ", to->out);
    markdown_text_code(to->out, name_of_report(name, sizeof name, r));
    (void)fputs("\n\n", to->out);
    table_busy(to->out, r->view, &r->view->total);
    (void)fprintf(to->out, "; shares are of %s time\n",
                  r->of_all ? "all"
                  : r->idle ? "idle"
                            : "busy");
    write_block(to, r, write_warnings);
    write_block(to, r, table_boot);
    if (r->function != NULL && r->view->total.all.samples != 0) {
        write_block(to, r, table_function);
        return;
    }
    if (r->view->total.busy.samples != 0 && !r->idle)
        write_functions(to, r);
    write_block(to, r, write_tree);
    if (!r->idle && table_active_cores(r->view) > 1)
        write_folded(to, r, "Functions by core", table_matrix);
    write_block(to, r, table_threads);
    write_folded(to, r, "Waits of threads", table_thread_waits);
    write_folded(to, r, "Scheduling of cores", table_scheduling);
    write_folded(to, r, "Requests", table_requests);
    write_folded(to, r, "Locks", table_locks);
}

const struct render_ops render_markdown = {
    .name = "md",
    .suffix = "md",
    .follows = true,
    .write = write_markdown,
};
