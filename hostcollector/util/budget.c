/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays and hash tables that grow within a shared limit. */
#include "util/budget.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 64u

uint64_t budget_keep(struct budget *b, uint64_t bytes)
{
    uint64_t kept = bytes < b->left ? bytes : b->left;

    b->left -= kept;
    return kept;
}

static bool affordable(const struct budget *b, size_t capacity, size_t grown,
                       size_t size)
{
    return grown <= SIZE_MAX / size && (grown - capacity) * size <= b->left;
}

void *budget_grow(struct budget *b, void *array, size_t *capacity,
                  size_t wanted, size_t size)
{
    size_t grown = *capacity ? *capacity : SMALLEST;

    if (wanted <= *capacity && array != NULL)
        return array;
    while (grown < wanted && grown <= SIZE_MAX / 2)
        grown *= 2;
    if (!affordable(b, *capacity, grown, size))
        grown = *capacity + *capacity / 8;
    if (grown == 0 || grown < wanted || !affordable(b, *capacity, grown, size))
        return NULL;
    char *moved = realloc(array, grown * size);

    if (!moved)
        return NULL;
    memset(moved + *capacity * size, 0, (grown - *capacity) * size);
    b->left -= (grown - *capacity) * size;
    *capacity = grown;
    return moved;
}

int budget_table_grow(struct budget *b, struct budget_table *t, uint32_t last,
                      budget_hash *hash, const void *owner)
{
    struct budget_table bigger = {NULL, 0};

    if ((uint64_t)last * 2 < t->size)
        return 0;
    bigger.slots = budget_grow(b, NULL, &bigger.size, t->size * 2 + 1,
                               sizeof *bigger.slots);
    if (bigger.slots == NULL)
        return -1;
    for (uint32_t number = 1; number <= last; number++) {
        size_t i = hash(owner, number) & (bigger.size - 1);

        while (bigger.slots[i] != 0)
            i = (i + 1) & (bigger.size - 1);
        bigger.slots[i] = number;
    }
    free(t->slots);
    b->left += t->size * sizeof *t->slots;
    *t = bigger;
    return 0;
}
