/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow. Leaf. */
#ifndef TPROF_UTIL_VEC_H
#define TPROF_UTIL_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Room for one more element of (size) bytes behind the (count) in (array),
 * which has room for (*room) and comes from here, or is NULL.
 *
 * Returns the array, maybe moved; NULL if there is no memory: the old one
 * still stands then.
 */
static inline void *vec_grow(void *array, size_t *room, size_t count,
                             size_t size)
{
    if (count < *room)
        return array;

    size_t more = *room < 16 ? 16 : *room * 2;
    if (more > SIZE_MAX / size)
        return NULL;
    void *moved = realloc(array, more * size);
    if (moved != NULL)
        *room = more;
    return moved;
}

#endif
