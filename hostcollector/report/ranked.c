/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts the rows of a table by one number each. */
#include "report/ranked.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;

    if (left->key != right->key)
        return left->key > right->key ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

void ranked_sort(struct ranked *list, size_t n)
{
    qsort(list, n, sizeof *list, compare);
}
