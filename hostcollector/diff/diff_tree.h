/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the changed calls of the call tree, for the text of `collector diff`.
 */
#ifndef TPROF_DIFF_DIFF_TREE_H
#define TPROF_DIFF_DIFF_TREE_H

#include "diff/diff.h"

/* The calls of (d) that changed below their callers, (columns) wide. */
void diff_tree(FILE *out, const struct report *look, size_t columns,
               const struct diff *d);

#endif
