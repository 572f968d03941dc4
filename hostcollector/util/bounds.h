/* SPDX-License-Identifier: BSD-2-Clause */
/* Binary search. Leaf. */
#ifndef TPROF_UTIL_BOUNDS_H
#define TPROF_UTIL_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the number of elements whose key is at most (key). The array (list)
 * has (count) elements of (size) bytes, sorted by a uint64_t member at
 * (offset). (list) may be NULL if (count) is 0.
 */
static inline size_t upper_bound(const void *list, size_t count, size_t size,
                                 size_t offset, uint64_t key)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;
        const char *element = (const char *)list + middle * size;

        if (*(const uint64_t *)(const void *)(element + offset) <= key)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

#endif
