/* SPDX-License-Identifier: BSD-2-Clause */
/* The source lines of functions, sorted, for text and JSON. */
#ifndef TPROF_REPORT_TEXT_LINE_LIST_H
#define TPROF_REPORT_TEXT_LINE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

/* Lines with busy time of their own: by function, then by falling time. */
struct line_list {
    struct view_line *lines;
    size_t count;
};

/*
 * List the lines of (function) of (v), or of all functions for LINE_LIST_ALL.
 * Returns 0; -1 if there is no memory, and (l) is empty. Call line_list_fini()
 * in either case.
 */
#define LINE_LIST_ALL UINT32_MAX
int line_list_init(struct line_list *l, const struct view *v,
                   uint32_t function);
void line_list_fini(struct line_list *l);

#endif
