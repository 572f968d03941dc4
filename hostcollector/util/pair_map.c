/* SPDX-License-Identifier: BSD-2-Clause */
/* A map from pairs of 64-bit numbers to 32-bit numbers. */
#include "util/pair_map.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

/* Clearing more slots would take longer than making the map anew. */
#define KEPT_MAX 8192u

struct map_slot {
    uint64_t a, b;
    uint32_t value;
    uint32_t used;
};

static uint64_t seed; /* hash_seed(), as soon as a map has slots */

/* The slot of (a, b), or the free slot for it. */
static struct map_slot *find_slot(const struct pair_map *m, uint64_t a,
                                  uint64_t b)
{
    size_t mask = m->size - 1;
    size_t i = (size_t)hash_mix(hash_mix(seed, a), b) & mask;

    while (m->slots[i].used && (m->slots[i].a != a || m->slots[i].b != b))
        i = (i + 1) & mask;
    return &m->slots[i];
}

static int grow_slots(struct pair_map *m)
{
    struct pair_map bigger = {NULL, m->size == 0 ? 64 : m->size * 2, m->count};

    seed = hash_seed();
    bigger.slots = calloc(bigger.size, sizeof *bigger.slots);
    if (bigger.slots == NULL)
        return -1;
    for (size_t i = 0; i < m->size; i++) {
        const struct map_slot *slot = &m->slots[i];

        if (slot->used)
            *find_slot(&bigger, slot->a, slot->b) = *slot;
    }
    free(m->slots);
    *m = bigger;
    return 0;
}

void map_fini(struct pair_map *m)
{
    free(m->slots);
    *m = (struct pair_map){0};
}

void map_clear(struct pair_map *m)
{
    if (m->size > KEPT_MAX)
        map_fini(m);
    if (m->count != 0)
        memset(m->slots, 0, m->size * sizeof *m->slots);
    m->count = 0;
}

size_t map_bytes(const struct pair_map *m)
{
    return m->size * sizeof *m->slots;
}

uint32_t map_get(const struct pair_map *m, uint64_t a, uint64_t b)
{
    if (m->size == 0)
        return MAP_NOTHING;

    const struct map_slot *slot = find_slot(m, a, b);
    return slot->used ? slot->value : MAP_NOTHING;
}

uint32_t *map_put(struct pair_map *m, uint64_t a, uint64_t b)
{
    if (m->count * 2 >= m->size && grow_slots(m) != 0)
        return NULL;

    struct map_slot *slot = find_slot(m, a, b);
    if (!slot->used) {
        *slot = (struct map_slot){a, b, MAP_NOTHING, 1};
        m->count++;
    }
    return &slot->value;
}
