/* SPDX-License-Identifier: BSD-2-Clause */
/* Mixing integers and texts into hash values. Leaf. */
#ifndef TPROF_UTIL_HASH_H
#define TPROF_UTIL_HASH_H

#include <stdint.h>

/* Fold (value) into (hash); the upper half of the result is the better one. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* Of (text), up to its end. */
static inline uint64_t hash_text(const char *text)
{
    uint64_t hash = 0;

    for (; *text != '\0'; text++)
        hash = hash_mix(hash, (uint8_t)*text);
    return hash;
}

#endif
