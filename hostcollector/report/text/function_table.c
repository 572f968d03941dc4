/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of functions, for all cores and for each core. */
#include "report/table.h"

#include <inttypes.h>
#include <string.h>

#include "diagnose/selected.h"
#include "diagnose/share.h"
#include "report/groups.h"
#include "report/name.h"
#include "util/text.h"

/* Default rows of the table for all cores, and of the tables for each core. */
#define TOP_TOTAL 20
#define TOP_CORE  6
/* Rows with a smaller share are left out, unless --all or --top is given. */
#define SHARE_MIN .01

/* Columns of shares and marks. */
#define SHARES 47

/* Columns of the hottest line. */
static size_t line_width(const struct report *r)
{
    return table_columns(r) < TEXT_COLUMNS ? 15 : 17;
}

/* Columns of a function. */
static size_t function_width(const struct report *r)
{
    return table_left(r, SHARES + 1 + line_width(r));
}

/* A share and its range, as "12.3    11.5-13.1". */
static void write_share(FILE *out, int width, struct share s)
{
    char range[24];

    (void)snprintf(range, sizeof range, "%.1f-%.1f", 100 * s.low, 100 * s.high);
    (void)fprintf(out, "%*.1f %11s", width, 100 * s.p, range);
}

static void write_row(FILE *out, const struct report *r,
                      const struct view_scope *scope,
                      const struct view_row *row)
{
    const struct view_function *f = &r->view->functions[row->function];
    double uncertain = share_of(&row->uncertain, &row->self).p;
    char where[512], name[NAME_SHORT];
    size_t width = function_width(r);

    write_share(out, 7, share_of(&row->self, &scope->busy));
    write_share(out, 8, share_of(&row->total, &scope->busy));
    if (uncertain >= .005)
        (void)fprintf(out, " %4.0f?  ", 100 * uncertain);
    else
        (void)fputs("        ", out);
    if (f->file == NULL) {
        (void)fprintf(out, "%s\n",
                      name_short(name, f->name, width + 1 + line_width(r)));
        return;
    }
    (void)snprintf(where, sizeof where, "%s:%" PRIu32, text_base_name(f->file),
                   f->line);
    text_left(out, name_short(name, f->name, width), width);
    (void)putc(' ', out);
    text_tail(out, where, line_width(r));
    (void)putc('\n', out);
}

/* Number of rows to show: the first rows whose share is large enough. */
static size_t rows_shown(const struct report *r, const struct view_scope *scope,
                         size_t top)
{
    size_t n = r->all || scope->row_count < top ? scope->row_count : top;

    if (r->all || r->top != 0)
        return n;
    while (n > 1 &&
           share_of(&scope->rows[n - 1].self, &scope->busy).p < SHARE_MIN)
        n--;
    return n;
}

static void write_rest(FILE *out, const struct view_scope *scope, size_t shown)
{
    struct amount rest = {0};

    if (shown == scope->row_count)
        return;
    for (size_t i = shown; i < scope->row_count; i++)
        rest.time += scope->rows[i].self.time;
    (void)fprintf(out, "%7.1f%37s%zu further function%s (--all)\n",
                  100 * share_of(&rest, &scope->busy).p, "",
                  scope->row_count - shown,
                  text_plural(scope->row_count - shown));
}

void table_busy(FILE *out, const struct view *v, const struct view_scope *scope)
{
    struct share busy = share_of(&scope->busy, &scope->all);
    char count[TEXT_NUMBER];

    if (v->idle_unknown)
        (void)fputs("busy or idle is not known", out);
    else
        (void)fprintf(out, "busy %.1f %% (%.1f-%.1f), idle %.1f %%",
                      100 * busy.p, 100 * busy.low, 100 * busy.high,
                      100 * (1 - busy.p));
    (void)fprintf(out, ", %s samples", text_count(count, scope->all.samples));
}

/* "Core 2: busy 88.1 % (86.9-89.2), idle 11.9 %, 4,551 samples". */
static void write_scope_line(FILE *out, const struct view *v, const char *name,
                             const struct view_scope *scope)
{
    (void)fprintf(out, "\n%s: ", name);
    table_busy(out, v, scope);
}

/* Mark the core if it lost so many samples that there is a warning. */
static void write_loss_mark(FILE *out, const struct report *r, size_t core)
{
    const struct account a =
        selected_account(r->profile, &r->profile->cores[core]);
    double lost = (double)(account_ticks(&a) - a.samples);

    if (lost > .01 * (double)account_ticks(&a))
        (void)fprintf(out, "  ! lost %.1f %%",
                      100 * lost / (double)account_ticks(&a));
}

static void write_table(FILE *out, const struct report *r,
                        const struct view_scope *scope, size_t top)
{
    size_t shown = rows_shown(r, scope, r->top != 0 ? r->top : top);

    (void)putc('\n', out);
    if (shown == 0)
        return;
    (void)fprintf(out, "%7s %11s %7s %11s        %-*s %s\n", "SELF %",
                  "95 % RANGE", "TOTAL %", "95 % RANGE", (int)function_width(r),
                  "FUNCTION", "HOTTEST LINE");
    for (size_t i = 0; i < shown; i++)
        write_row(out, r, scope, &scope->rows[i]);
    write_rest(out, scope, shown);
}

void table_functions(FILE *out, const struct report *r,
                     const struct view_scope *scope)
{
    write_table(out, r, scope, TOP_TOTAL);
}

/* Write the table of group (i) of (g), with at most (top) rows. */
static void write_group(FILE *out, const struct report *r,
                        const struct groups *g, size_t i, size_t top)
{
    const struct view_scope *scope = &g->scopes[i];
    char name[NAME_PLAIN];

    if (scope->all.samples == 0)
        return;
    groups_name(name, g, r, scope);
    if (g->by == VIEW_BY_CORE)
        name[0] = 'C';
    write_scope_line(out, r->view, name, scope);
    if (g->by == VIEW_BY_CORE)
        write_loss_mark(out, r, i);
    write_table(out, r, scope, top);
}

void table_all_functions(FILE *out, const struct report *r)
{
    const struct view *v = r->view;
    struct groups g;

    groups_init(&g, r);
    bool several = table_active_cores(v) > 1 || g.by != VIEW_BY_CORE;

    if (several) {
        write_scope_line(out, v, "All cores", &v->total);
        write_table(out, r, &v->total, TOP_TOTAL);
    }
    for (size_t i = 0; i < g.count; i++)
        write_group(out, r, &g, i, several ? TOP_CORE : TOP_TOTAL);
    groups_fini(&g);
}
