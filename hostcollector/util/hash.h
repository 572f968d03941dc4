/* SPDX-License-Identifier: BSD-2-Clause */
/* Hash values of integers and texts. Leaf. */
#ifndef TPROF_UTIL_HASH_H
#define TPROF_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

/* Returns a secret number, the same on each call from one source file. If a
 * guest chooses the keys of a table, the table begins its hashes with this
 * number: otherwise the guest could choose keys that collide. */
static inline uint64_t hash_seed(void)
{
    static uint64_t seed;

    if (seed == 0 && getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
        /* early at boot there are no random bytes: an address is better than
         * nothing */
        seed = (uintptr_t)&seed;
    return seed;
}

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

/* The hash of the (size) bytes at (bytes). */
static inline uint64_t hash_bytes(const void *bytes, size_t size)
{
    const char *p = bytes;
    uint64_t hash = size;

    while (size > 0) {
        size_t n = size < sizeof hash ? size : sizeof hash;
        uint64_t word = 0;

        memcpy(&word, p, n);
        hash = hash_mix(hash, word);
        p += n;
        size -= n;
    }
    return hash;
}

#endif
