/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides memory among guests. A guest takes memory when it comes, and more
 * when it needs more. A guest for which no memory is left is not served. Leaf.
 */
#ifndef TPROF_FLEET_WINDOWS_SHARES_H
#define TPROF_FLEET_WINDOWS_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shares {
    /* bytes for all guests; bytes that present guests have taken */
    uint64_t memory, taken;
    size_t guests; /* expected number of guests, or 0 */
};

/* Returns the bytes that a guest with (has) bytes may get in addition. */
static inline uint64_t shares_more(const struct shares *s, uint64_t has)
{
    uint64_t left = s->memory > s->taken ? s->memory - s->taken : 0;
    uint64_t part = s->memory / (s->guests != 0 ? s->guests : 1);
    uint64_t more = part > has ? part - has : 0;

    return more < left ? more : left;
}

/* Returns the part of (memory) that is kept for guests that grow: a guest that
 * comes leaves that much. */
static inline uint64_t shares_spare(uint64_t memory)
{
    return memory / 32;
}

/* Give (bytes) more to a guest that has (*has) so far. Returns false if less
 * than (spare) would be left then. */
static inline bool shares_take(struct shares *s, uint64_t *has, uint64_t bytes,
                               uint64_t spare)
{
    if (s->taken + spare > s->memory || bytes > s->memory - s->taken - spare)
        return false;
    s->taken += bytes;
    *has += bytes;
    return true;
}

/* Returns a limit that has room for a guest that needs (bytes) more. The limit
 * is a power of two, so that there is room for other guests, too. */
static inline uint64_t shares_suggest(const struct shares *s, uint64_t bytes)
{
    uint64_t limit = 1;

    while (limit - shares_spare(limit) < s->taken + bytes || limit <= s->memory)
        limit *= 2;
    return limit;
}

/* Return all memory of a guest that has ended. */
static inline void shares_give_back(struct shares *s, uint64_t *has)
{
    s->taken -= *has;
    *has = 0;
}

#endif
