/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of all cores in the order of --sort. */
#include "report/table.h"

#include <stdlib.h>

/* Compare by the number that --sort names, falling. Equal rows, and rows by
 * name, are compared by function, because functions are numbered by name. */
static int compare_rows(const struct view_row *a, const struct view_row *b,
                        double x, double y)
{
    return x != y ? (x < y ? 1 : -1)
                  : (a->function > b->function) - (a->function < b->function);
}

static int by_total(const void *a, const void *b)
{
    const struct view_row *left = a, *right = b;

    return compare_rows(left, right, left->total.time, right->total.time);
}

static int by_late(const void *a, const void *b)
{
    const struct view_row *left = a, *right = b;

    return compare_rows(left, right, left->late, right->late);
}

static int by_name(const void *a, const void *b)
{
    return compare_rows(a, b, 0, 0);
}

struct view_row *table_sorted(const struct report *r)
{
    static int (*const orders[])(const void *, const void *) = {
        [SORT_TOTAL] = by_total, [SORT_LATE] = by_late, [SORT_NAME] = by_name};
    const struct view_scope *scope = &r->view->total;
    struct view_row *list = calloc(scope->row_count + 1, sizeof *list);

    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < scope->row_count; i++)
        list[i] = scope->rows[i];
    if (r->sort != SORT_SELF)
        qsort(list, scope->row_count, sizeof *list, orders[r->sort]);
    return list;
}
