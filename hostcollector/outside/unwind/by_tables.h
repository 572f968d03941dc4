/* SPDX-License-Identifier: BSD-2-Clause */
/* The caller of a frame, by a row of unwind tables. */
#ifndef TPROF_OUTSIDE_UNWIND_BY_TABLES_H
#define TPROF_OUTSIDE_UNWIND_BY_TABLES_H

#include "outside/unwind/unwind_walk.h"

struct cfi_row;

/* Write the caller of the frame at (w), by (row), to (*out). Returns
 * UNWIND_FULL; UNWIND_WHOLE if there is none; otherwise the reason why it is
 * not known. */
outcome by_tables(const struct walk *w, const struct cfi_row *row,
                  struct caller *out);

#endif
