/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the cost of a unit of the guest's work, for the text of `collector
 * diff`. */
#ifndef TPROF_DIFF_DIFF_UNITS_TEXT_H
#define TPROF_DIFF_DIFF_UNITS_TEXT_H

#include "diff/diff.h"

/* Write a line for each counter, (columns) wide. */
void diff_units_lines(FILE *out, size_t columns, const struct diff *d);

/* Write the cost of each function per unit: of the first counter, or of all
 * counters with (d->all). Writes nothing if there is no counter. */
void diff_units_tables(FILE *out, const struct report *look, size_t columns,
                       const struct diff *d);

#endif
