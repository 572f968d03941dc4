/* SPDX-License-Identifier: BSD-2-Clause */
/* A map from pairs of 64-bit numbers to 32-bit numbers, without removal. A
 * guest may choose the pairs, because the pairs that collide differ from
 * process to process. Leaf. */
#ifndef TPROF_UTIL_PAIR_MAP_H
#define TPROF_UTIL_PAIR_MAP_H

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

/* Release the memory of (m). (m) is empty then. */
void map_fini(struct pair_map *m);

/* Empty (m), but keep its memory for the next pairs, unless it is large. */
void map_clear(struct pair_map *m);

/* The number for (a, b); MAP_NOTHING if there is none. */
uint32_t map_get(const struct pair_map *m, uint64_t a, uint64_t b);

/* Bytes of memory in (m). */
size_t map_bytes(const struct pair_map *m);

/*
 * Returns the address of the number for (a, b), which is MAP_NOTHING for a new
 * pair. Valid until the next map_put(). NULL if there is no memory.
 */
uint32_t *map_put(struct pair_map *m, uint64_t a, uint64_t b);

#endif
