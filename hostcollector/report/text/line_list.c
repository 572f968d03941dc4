/* SPDX-License-Identifier: BSD-2-Clause */
/* The source lines of functions, sorted. */
#include "report/text/line_list.h"

#include <stdlib.h>
#include <string.h>

static int compare_files(const char *a, const char *b)
{
    return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int compare_lines(const void *a, const void *b)
{
    const struct view_line *left = a, *right = b;

    if (left->function != right->function)
        return left->function < right->function ? -1 : 1;
    if (left->busy != right->busy)
        return left->busy < right->busy ? 1 : -1;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    return compare_files(left->file, right->file);
}

int line_list_init(struct line_list *l, const struct view *v, uint32_t function)
{
    *l = (struct line_list){calloc(v->line_count + 1, sizeof *l->lines), 0};
    if (l->lines == NULL)
        return -1;
    for (size_t i = 0; i < v->line_count; i++) {
        const struct view_line *line = &v->lines[i];

        if (line->busy > 0 &&
            (function == LINE_LIST_ALL || line->function == function))
            l->lines[l->count++] = *line;
    }
    qsort(l->lines, l->count, sizeof *l->lines, compare_lines);
    return 0;
}

void line_list_fini(struct line_list *l)
{
    free(l->lines);
}
