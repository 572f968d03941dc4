/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks by number, for stores that keep each stack once. */
#ifndef TPROF_EXPORT_STORES_STACK_NUMBERS_H
#define TPROF_EXPORT_STORES_STACK_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "report/render.h"

/* Those of one report, for all formats that it is written in. Zeroed: none is
 * known yet. Whoever has the report written frees (list). */
struct stack_numbers {
    uint64_t *list; /* by entry, core behind core */
};

/*
 * The number of the stack of each entry of profile.cores[core] of (r), by entry
 * as for view_path_of(), which r->numbers keeps; NULL without memory, and
 * (to->no_memory) is set.
 *
 * The number is of functions, files and lines, with their images: the same in
 * all guests and at all times. 64 bits of a SHA-256, since a guest that could
 * choose another one's number would put its names there.
 */
const uint64_t *stack_numbers_of(struct render *to, const struct report *r,
                                 size_t core);

#endif
