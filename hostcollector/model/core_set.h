/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of a guest's cores. Leaf. */
#ifndef TPROF_MODEL_CORE_SET_H
#define TPROF_MODEL_CORE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CORE_SET_SPANS 16u

/* Spans of numbers, both ends included. Zeroed: all cores. */
struct core_set {
    size_t count; /* of spans */
    struct {
        uint32_t first, last;
    } spans[CORE_SET_SPANS];
};

static inline bool core_set_has(const struct core_set *s, uint32_t core)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->spans[i].first <= core && core <= s->spans[i].last)
            return true;
    return s->count == 0;
}

#endif
