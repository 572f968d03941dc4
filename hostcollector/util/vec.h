/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow. Leaf. */
#ifndef TPROF_UTIL_VEC_H
#define TPROF_UTIL_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Make room for one more element of (size) bytes in an array of (count).
 * (array) points to the pointer to the array. If the pointer is NULL, the array
 * is allocated. (*room) is the number of elements that have room. Returns 0,
 * and the array may have moved; -1 if there is no memory, and nothing has
 * changed.
 */
static inline int vec_grow(void *array, size_t *room, size_t count, size_t size)
{
    void *old, *moved;
    size_t more = *room < 16 ? 16 : *room * 2;

    if (count < *room)
        return 0;
    if (more > SIZE_MAX / size)
        return -1;
    memcpy(&old, array, sizeof old); /* a pointer of any type */
    moved = realloc(old, more * size);
    if (moved == NULL)
        return -1;
    memcpy(array, &moved, sizeof moved);
    *room = more;
    return 0; /* cppcheck-suppress memleak ; (array) points to it */
}

#endif
