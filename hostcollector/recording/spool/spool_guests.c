/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of each guest in a spool. */
#include "recording/spool/spool_parts.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

static int compare_guest(const struct spool_guest *g, const char *name,
                         size_t length)
{
    int names = memcmp(g->name, name, g->length < length ? g->length : length);

    return names != 0 ? names : (g->length > length) - (g->length < length);
}

/* The index of the guest, or where it would be inserted. */
static size_t place_of(const struct spool_guests *g, const char *name,
                       size_t length)
{
    size_t low = 0, high = g->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_guest(g->list[middle], name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct spool_guest *spool_guests_get(struct spool_guests *g, const char *name,
                                     size_t length)
{
    size_t at = place_of(g, name, length);
    struct spool_guest *new;

    if (at < g->count && compare_guest(g->list[at], name, length) == 0)
        return g->list[at];
    new = malloc(sizeof *new + length);
    if (new == NULL ||
        vec_grow(&g->list, &g->room, g->count, sizeof(void *)) != 0) {
        free(new);
        return NULL;
    }
    *new = (struct spool_guest){.length = length};
    memcpy(new->name, name, length);
    memmove(g->list + at + 1, g->list + at, (g->count++ - at) * sizeof(void *));
    g->list[at] = new;
    return new;
}

/* Bytes of all guests together if each has at most (share). */
static uint64_t sum_of(const struct spool_guests *g, uint64_t share)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < g->count; i++)
        bytes += g->list[i]->bytes < share ? g->list[i]->bytes : share;
    return bytes;
}

uint64_t spool_guests_share(const struct spool_guests *g, uint64_t bytes)
{
    /* the answer is at least (low) and at most (high) */
    uint64_t low = 0, high = bytes;

    while (low < high) {
        uint64_t middle = high - (high - low) / 2;

        if (sum_of(g, middle) <= bytes)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void spool_guests_fini(struct spool_guests *g)
{
    for (size_t i = 0; i < g->count; i++)
        free(g->list[i]);
    free(g->list);
    *g = (struct spool_guests){0};
}
