/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays and hash tables that grow within a shared limit. Leaf.
 *
 * Why not util/map: a guest decides how much the collector remembers, so the
 * bytes are bounded; and these tables are read for each sample. So a table
 * holds numbers of elements alone, 4 bytes each. Its user compares and
 * prefetches.
 */
#ifndef TPROF_UTIL_BUDGET_H
#define TPROF_UTIL_BUDGET_H

#include <stddef.h>
#include <stdint.h>

struct budget {
    uint64_t left; /* bytes */
};

/* Put (bytes) of what is left aside, or all of it. Returns how many, which the
 * caller adds to (b->left) again. */
uint64_t budget_keep(struct budget *b, uint64_t bytes);

/*
 * Make (array) of (*capacity) elements of (size) bytes hold at least (wanted),
 * by doubling, or by an eighth where there is no more room than for that; new
 * elements are zero. NULL with capacity 0 is an empty array.
 *
 * Returns the array, moved if need be, which free() releases; NULL if the
 * budget or memory does not allow it, and nothing has changed.
 */
void *budget_grow(struct budget *b, void *array, size_t *capacity,
                  size_t wanted, size_t size);

/* Zeroed: empty. A hash selects the first slot to look at, modulo (size), which
 * is a power of two; what is taken goes into the next free one. */
struct budget_table {
    uint32_t *slots; /* numbers from 1 on; 0: free */
    size_t size;
};

/* The hash of element (number) of (owner). */
typedef uint64_t budget_hash(const void *owner, uint32_t number);

/*
 * Keep (t), which holds the elements 1 to (last) of (owner), at most half full
 * with one more. Returns 0; -1 if the budget or memory does not allow that,
 * and nothing has changed.
 */
int budget_table_grow(struct budget *b, struct budget_table *t, uint32_t last,
                      budget_hash *hash, const void *owner);

#endif
