/* SPDX-License-Identifier: BSD-2-Clause */
/* One function: its lines, its callers and its callees. */
#include <inttypes.h>
#include <string.h>

#include "diagnose/lateness.h"
#include "diagnose/share.h"
#include "report/ink.h"
#include "report/name.h"
#include "report/table.h"
#include "report/text/line_list.h"
#include "util/text.h"
#include "view/find.h"

/* Most lines, and most callers or callees, without --all. */
#define LINES_MOST 20
#define EDGES_MOST 10
/* Limit of other functions in a list of similar names. */
#define FITS_NAMED 5
#define LEFT       14 /* "  12.3   1.0  " */

void table_also(FILE *out, const struct report *r, uint32_t found)
{
    const struct view_scope *scope = &r->view->total;
    char line[1024] = "", name[NAME_SHORT];
    size_t n = 0, used = 0;

    if (strcmp(r->view->functions[found].name, r->function) == 0)
        return;
    for (size_t i = 0; i < scope->row_count; i++) {
        const struct view_row *row = &scope->rows[i];
        const char *full = r->view->functions[row->function].name;

        if (row->function == found || find_fit(full, r->function) == 0 ||
            n++ >= FITS_NAMED)
            continue;
        used +=
            (size_t)snprintf(line + used, sizeof line - used, "%s%s",
                             used != 0 ? ", " : "", name_short(name, full, 60));
    }
    if (n > FITS_NAMED)
        (void)snprintf(line + used, sizeof line - used, " and %zu more",
                       n - FITS_NAMED);
    if (n != 0) {
        (void)fputs("Also: ", out);
        text_wrap_at(out, strlen("Also: "), line, table_columns(r));
    }
}

static void write_share(FILE *out, struct share s)
{
    char error[SHARE_TEXT];

    (void)fprintf(out, "%6.1f %5s  ", 100 * s.p, share_error(error, s));
}

static void write_line(FILE *out, const struct report *r,
                       const struct view_line *line)
{
    struct amount part = {.time = line->busy, .time_sq = line->busy_sq};
    char where[512] = "line not known";

    if (line->file != NULL)
        (void)snprintf(where, sizeof where, "%s:%" PRIu32,
                       text_base_name(line->file), line->number);
    write_share(out, share_of(&part, table_whole(r, &r->view->total)));
    text_tail(out, where, table_columns(r) - LEFT);
    (void)putc('\n', out);
}

static void write_lines(FILE *out, const struct report *r, uint32_t function)
{
    struct line_list l;

    if (line_list_init(&l, r->view, function) == 0 && l.count != 0) {
        size_t most = r->all || l.count < LINES_MOST ? l.count : LINES_MOST;

        (void)fprintf(out, "\n%6s %5s  LINE\n", "SELF", "+-");
        for (size_t i = 0; i < most; i++)
            write_line(out, r, &l.lines[i]);
        if (most < l.count)
            (void)fprintf(out, "%*s%zu more: --all\n", LEFT, "",
                          l.count - most);
    }
    line_list_fini(&l);
}

/* Write the name of (function), and the line of the calls. */
static void write_other(FILE *out, const struct report *r, uint32_t function,
                        const struct view_edge *edge)
{
    const char *full = r->view->functions[function].name;
    size_t columns = table_columns(r) - LEFT, half = columns / 2;
    char name[NAME_SHORT], where[512];

    if (edge->file == NULL || edge->line == 0) {
        (void)fprintf(out, "%s\n", name_short(name, full, columns));
        return;
    }
    (void)snprintf(where, sizeof where, "%s:%" PRIu32,
                   text_base_name(edge->file), edge->line);
    text_left(out, name_short(name, full, half), half);
    (void)putc(' ', out);
    text_tail(out, where, columns - half - 1);
    (void)putc('\n', out);
}

/* Write the callers of (row)'s function, or its callees. */
static void write_edges(FILE *out, const struct report *r,
                        const struct view_row *row, bool callers)
{
    const struct view *v = r->view;
    uint32_t i = callers ? v->callers[row->function] : v->calls[row->function];
    size_t n = 0;

    if (i != VIEW_NO_EDGE)
        (void)fprintf(
            out, "\n%6s %5s  %s\n", "SHARE", "+-",
            callers ? "CALLERS, % of its total, with the line of the call"
                    : "CALLEES, % of its total, with the line of the call");
    for (; i != VIEW_NO_EDGE && (r->all || n < EDGES_MOST); n++) {
        const struct view_edge *edge = &v->edges[i];
        uint32_t other = callers ? edge->caller : edge->callee;

        write_share(out, share_of(&edge->amount, &row->total));
        write_other(out, r, other, edge);
        i = callers ? edge->next_of_callee : edge->next_of_caller;
    }
    if (i != VIEW_NO_EDGE)
        (void)fprintf(out, "%*smore: --all\n", LEFT, "");
}

/* Write which samples moved to the function of (row), and from it. */
static void write_moved(FILE *out, const struct report *r,
                        const struct view_row *row)
{
    char line[200];

    if (row->moved > 0) {
        (void)snprintf(line, sizeof line,
                       "moved: %.0f %% of its own time was seen at the "
                       "beginning of functions that it calls",
                       100 * row->moved / row->self.time);
        text_wrap_at(out, 0, line, table_columns(r));
    }
    table_gave(out, r, row->function);
}

void table_gave(FILE *out, const struct report *r, uint32_t function)
{
    uint64_t gave = r->view->functions[function].gave;
    char count[TEXT_NUMBER], line[160];

    if (gave == 0)
        return;
    (void)snprintf(line, sizeof line,
                   "moved: %s samples at its beginning count for its callers "
                   "(--raw: for itself)",
                   text_count(count, gave));
    text_wrap_at(out, 0, line, table_columns(r));
}

/* "qsort: 45.5 % +- 1.4 itself, 71.3 % +- 1.2 with what it calls". */
static void write_head(FILE *out, const struct report *r,
                       const struct view_row *row)
{
    const struct amount *whole = table_whole(r, &r->view->total);
    struct share self = share_of(&row->self, whole);
    struct share total = share_of(&row->total, whole);
    char line[200], shown[2][SHARE_TEXT];

    (void)putc('\n', out);
    ink_set(out, r, INK_BOLD);
    (void)fputs(r->view->functions[row->function].name, out);
    ink_set(out, r, INK_PLAIN);
    (void)snprintf(line, sizeof line,
                   "%s itself, %s with what it calls, in %% of %s time",
                   share_text(shown[0], self), share_text(shown[1], total),
                   r->of_all || r->view->idle_unknown ? "all" : "busy");
    (void)putc('\n', out);
    text_wrap_at(out, 0, line, table_columns(r));
    if (row->self.time > 0 && table_late_part(r, row->late, row->self.time) > 0)
        (void)fprintf(
            out,
            "%.0f %% of its own time came late; of all busy time %.0f %% "
            "came late\n",
            100 * lateness_part(row->late, row->self.time),
            100 * lateness_part(r->view->total.late, r->view->total.busy.time));
    write_moved(out, r, row);
}

void table_function(FILE *out, const struct report *r)
{
    const struct view_row *row = find_row(r->view, r->function);

    if (row == NULL) /* a warning says so */
        return;
    write_head(out, r, row);
    table_also(out, r, row->function);
    write_lines(out, r, row->function);
    write_edges(out, r, row, true);
    write_edges(out, r, row, false);
}
