/* SPDX-License-Identifier: BSD-2-Clause */
/* Callers and callees of the functions with the most time of their own. */
#include <stdlib.h>
#include <string.h>

#include "diagnose/share.h"
#include "report/name.h"
#include "report/table.h"
#include "util/text.h"

/* Functions whose callers and callees are shown. */
#define CALLS_SHOWN 5
/* They must have this share of the time themselves. */
#define CALLS_MIN   .01
/* Columns for a name of a caller or callee. */
#define CALL_WIDTH  50
/* Callers and callees below this share of the function are left out. */
#define CALL_MIN    .01

/* Append "name 12.3 %" to (list), of (size) bytes. Returns whether it fit. */
static bool append_call(char *list, size_t size, const char *name, double p)
{
    size_t used = strlen(list);
    int n = snprintf(list + used, size - used, "%s%s %.1f %%",
                     used == 0 ? "" : ", ", name, 100 * p);

    if (n >= 0 && (size_t)n < size - used)
        return true;
    list[used] = '\0';
    return false;
}

/* Write the callers of (row)'s function, or its callees, with their shares of
 * it. */
static void write_calls(FILE *out, const struct report *r,
                        const struct view_row *row, bool callers)
{
    const struct view *v = r->view;
    char list[1024] = "";
    bool fits = true;
    uint32_t i = callers ? v->callers[row->function] : v->calls[row->function];

    while (i != VIEW_NO_EDGE && fits) {
        const struct view_edge *edge = &v->edges[i];
        uint32_t other = callers ? edge->caller : edge->callee;
        double p = share_of(&edge->amount, &row->total).p;
        char name[NAME_SHORT];

        if (r->all || p >= CALL_MIN)
            fits = append_call(
                list, sizeof list,
                name_short(name, v->functions[other].name, CALL_WIDTH), p);
        i = callers ? edge->next_of_callee : edge->next_of_caller;
    }
    if (list[0] != '\0')
        text_wrap(out,
                  callers ? "                from  " : "                to    ",
                  list, table_columns(r));
}

/* Number of first rows whose callers and callees are shown. */
static size_t calls_shown(const struct report *r,
                          const struct view_scope *scope)
{
    size_t n = 0, most = r->top != 0 ? r->top : CALLS_SHOWN;

    if (r->all || r->top != 0)
        return r->all || most > scope->row_count ? scope->row_count : most;
    while (n < scope->row_count && n < most &&
           share_of(&scope->rows[n].self, &scope->busy).p >= CALLS_MIN)
        n++;
    return n;
}

void table_calls(FILE *out, const struct report *r)
{
    const struct view_scope *scope = &r->view->total;
    size_t n = calls_shown(r, scope);

    if (n == 0)
        return;
    (void)fputs("\nCallers and callees, % of the function's total\n"
                "  SELF  TOTAL\n",
                out);
    for (size_t i = 0; i < n; i++) {
        const struct view_row *row = &scope->rows[i];

        (void)fprintf(out, "%6.1f %6.1f  %s\n",
                      100 * share_of(&row->self, &scope->busy).p,
                      100 * share_of(&row->total, &scope->busy).p,
                      r->view->functions[row->function].name);
        write_calls(out, r, row, true);
        write_calls(out, r, row, false);
    }
}
