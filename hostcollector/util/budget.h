/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays and hash tables that grow within a shared limit. Leaf.
 *
 * util/pair_map.h has no limit. Here the guest decides how much the collector
 * remembers, so the bytes are limited. These tables are read for each sample.
 * Therefore a table holds only the numbers of elements, 4 bytes each. The owner
 * of a table compares the elements, and prefetches them.
 */
#ifndef TPROF_UTIL_BUDGET_H
#define TPROF_UTIL_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct budget {
    uint64_t left; /* bytes */
    uint64_t owed; /* bytes that budget_borrow() has lent */
    bool tight;    /* arrays grow by an eighth instead of doubling */
};

/* Reserve (bytes), or all that is left if it is less. Returns the number of
 * bytes reserved. The caller adds them to (b->left) later. */
uint64_t budget_keep(struct budget *b, uint64_t bytes);

/* Add (bytes) to (b->left), after paying back what budget_borrow() has lent. */
void budget_give_back(struct budget *b, uint64_t bytes);

/* Add (bytes) to (b->left) beyond the limit, for elements that are needed in
 * any case. budget_give_back() pays the bytes back. */
void budget_borrow(struct budget *b, uint64_t bytes);

/*
 * Grow (array), which has (*capacity) elements of (size) bytes, to at least
 * (wanted) elements. The array doubles. If doubling exceeds the limit, or if
 * (b->tight), the array grows by an eighth, or to (wanted). New elements are
 * zero. NULL with capacity 0 is an empty array.
 *
 * Returns the array, which may have moved and is released by free(). Returns
 * NULL if the limit or memory does not allow it; then nothing has changed.
 */
void *budget_grow(struct budget *b, void *array, size_t *capacity,
                  size_t wanted, size_t size);

/* Like budget_grow(), for the array whose pointer is at (array). Returns 0; -1
 * where budget_grow() returns NULL. */
int budget_make_room(struct budget *b, void *array, size_t *capacity,
                     size_t wanted, size_t size);

/* Shrink an array of (*capacity) elements of (size) bytes to (count) elements.
 * (array) points to the pointer to the elements. */
void budget_shrink(struct budget *b, void *array, size_t *capacity,
                   size_t count, size_t size);

/* A hash table of numbers. Zeroed: empty. The hash, modulo (size), selects the
 * first slot. (size) is a power of two. If the slot is taken, the next free one
 * is used. */
struct budget_table {
    uint32_t *slots; /* element numbers, from 1 on; 0: free */
    size_t size;
};

/* Returns the hash of element (number) of (owner). */
typedef uint64_t budget_hash(const void *owner, uint32_t number);

/*
 * Grow (t) if it would be more than half full with (more) elements. (t) holds
 * the elements 1 to (last) of (owner). Returns 0; -1 if the limit or memory
 * does not allow it; then nothing has changed.
 */
int budget_table_grow(struct budget *b, struct budget_table *t, uint32_t last,
                      size_t more, budget_hash *hash, const void *owner);

#endif
