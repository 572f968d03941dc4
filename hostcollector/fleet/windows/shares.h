/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides memory among guests. When a guest comes, it is promised its maximum.
 * A guest for which no memory is left is not served. Leaf. */
#ifndef TPROF_FLEET_WINDOWS_SHARES_H
#define TPROF_FLEET_WINDOWS_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shares {
    /* bytes for all guests; bytes promised to present guests */
    uint64_t memory, promised;
    size_t guests; /* expected number of guests, or 0 */
};

/* Returns the bytes that a guest with (has) bytes may get in addition. */
static inline uint64_t shares_more(const struct shares *s, uint64_t has)
{
    uint64_t left = s->memory > s->promised ? s->memory - s->promised : 0;
    uint64_t part = s->memory / (s->guests != 0 ? s->guests : 1);
    uint64_t more = part > has ? part - has : 0;

    return more < left ? more : left;
}

/* Promise (bytes) more to a guest that has (*has) so far. Returns false if less
 * memory is left. */
static inline bool shares_take(struct shares *s, uint64_t *has, uint64_t bytes)
{
    if (s->promised > s->memory || bytes > s->memory - s->promised)
        return false;
    s->promised += bytes;
    *has += bytes;
    return true;
}

/* Returns a limit that has room for a guest that needs (bytes) more. The limit
 * is a power of two, so that there is room for other guests, too. */
static inline uint64_t shares_suggest(const struct shares *s, uint64_t bytes)
{
    uint64_t limit = 1;

    while (limit < s->promised + bytes || limit <= s->memory)
        limit *= 2;
    return limit;
}

/* Return all memory of a guest that has ended. */
static inline void shares_give_back(struct shares *s, uint64_t *has)
{
    s->promised -= *has;
    *has = 0;
}

#endif
