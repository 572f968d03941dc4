/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that guests share: what each may take at most is promised to it when
 * it comes, and a guest for which nothing is left is not served. Leaf.
 */
#ifndef TPROF_FLEET_WINDOWS_SHARES_H
#define TPROF_FLEET_WINDOWS_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shares {
    uint64_t memory, promised; /* bytes: of all guests; to those there are */
    size_t guests;             /* that are expected, or 0 */
};

/* How much more of what is left is the part of a guest that (has) so much? */
static inline uint64_t shares_more(const struct shares *s, uint64_t has)
{
    uint64_t left = s->memory > s->promised ? s->memory - s->promised : 0;
    uint64_t part = s->memory / (s->guests != 0 ? s->guests : 1);
    uint64_t more = part > has ? part - has : 0;

    return more < left ? more : left;
}

/* Promise (bytes) to a guest that has (*has) so far. Returns whether so much is
 * left. */
static inline bool shares_take(struct shares *s, uint64_t *has, uint64_t bytes)
{
    if (s->promised > s->memory || bytes > s->memory - s->promised)
        return false;
    s->promised += bytes;
    *has += bytes;
    return true;
}

/* It has ended. */
static inline void shares_give_back(struct shares *s, uint64_t *has)
{
    s->promised -= *has;
    *has = 0;
}

#endif
