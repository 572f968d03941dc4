/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of 64-bit numbers -> 32-bit numbers. Nothing is ever taken out. Leaf.
 */
#ifndef TPROF_UTIL_MAP_H
#define TPROF_UTIL_MAP_H

#include <stddef.h>
#include <stdint.h>

#define MAP_NOTHING UINT32_MAX

struct map_slot;

/* Zeroed: empty. */
struct pair_map {
    struct map_slot *slots;
    size_t size; /* slots, a power of two, or 0 */
    size_t count;
};

/* Release what (m) holds, and empty it. */
void map_fini(struct pair_map *m);

/* The number kept for (a, b); MAP_NOTHING if none is. */
uint32_t map_get(const struct pair_map *m, uint64_t a, uint64_t b);

/* Bytes that (m) takes. */
size_t map_bytes(const struct pair_map *m);

/*
 * Where the number for (a, b) is kept, MAP_NOTHING at first; valid until the
 * next map_put(). NULL if there is no memory.
 */
uint32_t *map_put(struct pair_map *m, uint64_t a, uint64_t b);

#endif
