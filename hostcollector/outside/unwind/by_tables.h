/* SPDX-License-Identifier: BSD-2-Clause */
/* The caller of a frame by a row of unwind tables. */
#ifndef TPROF_OUTSIDE_UNWIND_BY_TABLES_H
#define TPROF_OUTSIDE_UNWIND_BY_TABLES_H

#include "outside/unwind/walk.h"

struct cfi_row;

/* The caller of the frame that (w) is at, by (row), in (*out). Returns
 * UNWIND_FULL; UNWIND_WHOLE: there is none; else why it is not known. */
outcome by_tables(const struct walk *w, const struct cfi_row *row,
                  struct caller *out);

#endif
