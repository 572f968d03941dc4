/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow, within a limit that they share. Leaf. */
#ifndef TPROF_UTIL_BUDGET_H
#define TPROF_UTIL_BUDGET_H

#include <stddef.h>
#include <stdint.h>

struct budget {
    uint64_t left; /* bytes */
};

/*
 * Make (array) of (*capacity) elements of (size) bytes hold at least (wanted),
 * by doubling; new elements are zero. NULL with capacity 0 is an empty array.
 *
 * Returns the array, moved if need be, which free() releases; NULL if the
 * budget or memory does not allow it, and nothing has changed.
 */
void *budget_grow(struct budget *b, void *array, size_t *capacity,
                  size_t wanted, size_t size);

#endif
