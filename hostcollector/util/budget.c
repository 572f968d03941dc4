/* SPDX-License-Identifier: BSD-2-Clause */
/* Growing arrays under a common limit. */
#include "util/budget.h"

#include <stdlib.h>
#include <string.h>

#define SMALLEST 64u

void *budget_grow(struct budget *b, void *array, size_t *capacity,
                  size_t wanted, size_t size)
{
    size_t grown = *capacity ? *capacity : SMALLEST;

    if (wanted <= *capacity && array != NULL)
        return array;
    while (grown < wanted && grown <= SIZE_MAX / 2)
        grown *= 2;
    if (grown < wanted || grown > SIZE_MAX / size ||
        (grown - *capacity) * size > b->left)
        return NULL;
    char *moved = realloc(array, grown * size);

    if (!moved)
        return NULL;
    memset(moved + *capacity * size, 0, (grown - *capacity) * size);
    b->left -= (grown - *capacity) * size;
    *capacity = grown;
    return moved;
}
