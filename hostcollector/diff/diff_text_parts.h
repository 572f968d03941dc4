/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the text of `collector diff`: the call tree, units of work,
 * and the times of threads, requests and locks. */
#ifndef TPROF_DIFF_DIFF_TEXT_PARTS_H
#define TPROF_DIFF_DIFF_TEXT_PARTS_H

#include "diff/diff.h"

/* Write the calls of (d) that changed, below their callers, (columns) wide. */
void diff_tree(FILE *out, const struct report *look, size_t columns,
               const struct diff *d);

/* Write a line for each counter, (columns) wide. */
void diff_units_lines(FILE *out, size_t columns, const struct diff *d);

/* Write the cost of each function per unit: of the first counter, or of all
 * counters with (d->all). Writes nothing if there is no counter. */
void diff_units_tables(FILE *out, const struct report *look, size_t columns,
                       const struct diff *d);

/* Write a table of threads, of requests and of locks, (columns) wide, if both
 * sides have any. */
void diff_sums_tables(FILE *out, size_t columns, const struct diff *d);

#endif
