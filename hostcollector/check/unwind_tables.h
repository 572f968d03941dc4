/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the code that call frame information describes. */
#ifndef TPROF_CHECK_UNWIND_TABLES_H
#define TPROF_CHECK_UNWIND_TABLES_H

#include "check/facts.h"
#include "util/spans.h"

struct image;

/*
 * Add the code that (table) of (img) describes to (out). Damaged entries are
 * left out. False if the image has no such table.
 */
bool check_unwind_table(const struct image *img, enum check_table table,
                        struct spans *out);

#endif
