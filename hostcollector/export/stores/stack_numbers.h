/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of stacks, for stores that keep each stack once. */
#ifndef TPROF_EXPORT_STORES_STACK_NUMBERS_H
#define TPROF_EXPORT_STORES_STACK_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "report/render.h"

/* Numbers of one report, shared by all formats in which the report is written.
 * Zeroed: empty. The caller that starts the writing frees (list). */
struct stack_numbers {
    uint64_t *list; /* all entries of core 0, then of core 1, ... */
};

/*
 * Returns the stack numbers of profile.cores[core] of (r), by entry as for
 * view_path_of(). r->numbers keeps them. Returns NULL if there is no memory;
 * then (to->no_memory) is set.
 *
 * A number depends on functions, files, lines and images, so a stack has the
 * same number in all guests and at all times. The number is 64 bits of a
 * SHA-256. With a weaker hash, a guest could make up a stack that has the
 * number of another stack, and the store would show the wrong names.
 */
const uint64_t *stack_numbers_of(struct render *to, const struct report *r,
                                 size_t core);

#endif
