/* SPDX-License-Identifier: BSD-2-Clause */
/* What a unit of the guest's work takes, in the text of `collector diff`. */
#ifndef TPROF_DIFF_DIFF_UNITS_TEXT_H
#define TPROF_DIFF_DIFF_UNITS_TEXT_H

#include "diff/diff.h"

/* A line for each counter, (columns) wide. */
void diff_units_lines(FILE *out, size_t columns, const struct diff *d);

/* What functions take of a unit: of the first counter, or of all with
 * (d->all). Nothing if there is none. */
void diff_units_tables(FILE *out, const struct report *look, size_t columns,
                       const struct diff *d);

#endif
