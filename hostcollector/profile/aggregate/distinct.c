/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/aggregate/distinct.h"

#include <math.h>

#include "util/hash.h"

#define CLASS_BITS 12u

void distinct_add(struct distinct *d, uint64_t hash)
{
    uint64_t mixed = hash_mix(hash_mix(0, hash), hash >> 32);
    uint8_t *rank = &d->ranks[mixed & (DISTINCT_CLASSES - 1)];
    uint64_t rest = mixed >> CLASS_BITS;
    uint8_t zeros = rest != 0 ? (uint8_t)__builtin_ctzll(rest) : 52;

    if (*rank <= zeros)
        *rank = zeros + 1;
}

uint64_t distinct_most(const struct distinct *d)
{
    const double classes = DISTINCT_CLASSES;
    double sum = 0, empty = 0;

    for (unsigned i = 0; i < DISTINCT_CLASSES; i++) {
        sum += ldexp(1, -d->ranks[i]);
        empty += d->ranks[i] == 0;
    }
    double estimate = 0.7213 / (1 + 1.079 / classes) * classes * classes / sum;

    if (estimate <= 2.5 * classes && empty > 0)
        estimate = classes * log(classes / empty);
    return (uint64_t)(estimate * 1.05) + 1;
}
