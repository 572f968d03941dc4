/* SPDX-License-Identifier: BSD-2-Clause */
/* Hash values of integers and texts. Leaf. */
#ifndef TPROF_UTIL_HASH_H
#define TPROF_UTIL_HASH_H

#include <stdint.h>

/* Add (value) to (hash). The upper half of the result is mixed better. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* The hash of the NUL-terminated (text). */
static inline uint64_t hash_text(const char *text)
{
    uint64_t hash = 0;

    for (; *text != '\0'; text++)
        hash = hash_mix(hash, (uint8_t)*text);
    return hash;
}

#endif
