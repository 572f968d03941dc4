/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays and hash tables that grow within a shared limit. */
#include "util/budget.h"

#include <stdlib.h>
#include <string.h>

#define SMALLEST 16u

uint64_t budget_keep(struct budget *b, uint64_t bytes)
{
    uint64_t kept = bytes < b->left ? bytes : b->left;

    b->left -= kept;
    return kept;
}

void budget_give_back(struct budget *b, uint64_t bytes)
{
    uint64_t paid = bytes < b->owed ? bytes : b->owed;

    b->owed -= paid;
    b->left += bytes - paid;
}

void budget_borrow(struct budget *b, uint64_t bytes)
{
    b->left += bytes;
    b->owed += bytes;
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
    if (b->tight || !affordable(b, *capacity, grown, size))
        grown = *capacity + *capacity / 8;
    if (grown < wanted)
        grown = wanted;
    if (grown == 0 || !affordable(b, *capacity, grown, size))
        return NULL;
    char *moved = realloc(array, grown * size);

    if (!moved)
        return NULL;
    memset(moved + *capacity * size, 0, (grown - *capacity) * size);
    b->left -= (grown - *capacity) * size;
    *capacity = grown;
    return moved;
}

int budget_make_room(struct budget *b, void *array, size_t *capacity,
                     size_t wanted, size_t size)
{
    void *old, *moved;

    memcpy(&old, array, sizeof old); /* a pointer of any type */
    moved = budget_grow(b, old, capacity, wanted, size);
    if (moved == NULL)
        return -1;
    memcpy(array, &moved, sizeof moved);
    return 0;
}

void budget_shrink(struct budget *b, void *array, size_t *capacity,
                   size_t count, size_t size)
{
    void *old, *less;

    if (count == 0 || count == *capacity)
        return;
    memcpy(&old, array, sizeof old); /* a pointer of any type */
    less = realloc(old, count * size);
    if (less == NULL)
        return; /* keep the larger array */
    memcpy(array, &less, sizeof less);
    budget_give_back(b, (*capacity - count) * size);
    *capacity = count;
} /* cppcheck-suppress memleak ; (array) points to it */

int budget_table_grow(struct budget *b, struct budget_table *t, uint32_t last,
                      size_t more, budget_hash *hash, const void *owner)
{
    struct budget_table bigger = {NULL, 0};
    size_t size = t->size != 0 ? t->size : SMALLEST;

    if ((last + more) * 2 <= t->size)
        return 0;
    while ((last + more) * 2 > size)
        size *= 2;
    bigger.slots =
        budget_grow(b, NULL, &bigger.size, size, sizeof *bigger.slots);
    if (bigger.slots == NULL)
        return -1;
    for (uint32_t number = 1; number <= last; number++) {
        size_t i = hash(owner, number) & (bigger.size - 1);

        while (bigger.slots[i] != 0)
            i = (i + 1) & (bigger.size - 1);
        bigger.slots[i] = number;
    }
    free(t->slots);
    budget_give_back(b, t->size * sizeof *t->slots);
    *t = bigger;
    return 0;
}
