/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps each different stack once and gives it a number. */
#include "profile/aggregate/stack_pool.h"

#include <stdbool.h>
#include <stdlib.h>

#include "profile/aggregate/aggregate.h"
#include "util/hash.h"

struct stack_place {
    size_t first; /* in addresses */
    uint64_t sp;  /* as in struct stack */
    uint32_t hash;
    uint32_t generation, thread; /* as in struct stack */
    uint8_t depth, end, slot_mask;
    uint8_t request; /* as in struct stack */
};

static size_t word_count(uint8_t slot_mask)
{
    return (size_t)__builtin_popcount(slot_mask);
}

static uint32_t stack_hash(const struct stack_pool *p, const struct stack *s)
{
    uint64_t hash = hash_mix(hash_mix(p->seed, s->end), s->slot_mask);

    hash = hash_mix(hash_mix(hash, s->sp),
                    ((uint64_t)s->thread << 32 | s->generation) ^
                        (uint64_t)s->request << 56);
    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        if (s->slot_mask >> i & 1)
            hash = hash_mix(hash, s->words[i]);
    for (size_t i = 0; i < s->depth; i++)
        hash = hash_mix(hash, s->frames[i]);
    return (uint32_t)hash;
}

void stack_pool_fini(struct stack_pool *p)
{
    free(p->addresses);
    free(p->places);
    free(p->table.slots);
}

struct stack stack_pool_get(const struct stack_pool *p, uint32_t number)
{
    struct stack s = {.end = WIRE_END_REASONS};

    if (number == STACK_UNKNOWN || number >= p->count)
        return s;
    const struct stack_place *place = &p->places[number];
    const uint64_t *at = p->addresses + place->first;

    s.end = place->end;
    s.sp = place->sp;
    s.generation = place->generation;
    s.thread = place->thread;
    s.request = place->request;
    s.slot_mask = place->slot_mask;
    s.depth = place->depth;
    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        if (s.slot_mask >> i & 1)
            s.words[i] = *at++;
    s.frames = at;
    return s;
}

void stack_pool_move(struct stack_pool *p, stack_pool_mover *move,
                     const void *context)
{
    for (size_t number = 1; number < p->count; number++) {
        struct stack_place *place = &p->places[number];
        uint64_t *at = p->addresses + place->first;
        size_t count = word_count(place->slot_mask) + place->depth;

        if (place->generation == 0)
            continue;
        for (size_t i = 0; i < count; i++)
            at[i] = move(context, place->generation, at[i]);
        place->generation = 0;
    }
}

static bool equal(const struct stack_pool *p, uint32_t number,
                  const struct stack *s, uint32_t hash)
{
    const struct stack_place *place = &p->places[number];

    if (place->hash != hash || place->depth != s->depth ||
        place->end != s->end || place->slot_mask != s->slot_mask ||
        place->sp != s->sp || place->generation != s->generation ||
        place->thread != s->thread || place->request != s->request)
        return false;
    const uint64_t *at = p->addresses + place->first;

    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        if (s->slot_mask >> i & 1 && *at++ != s->words[i])
            return false;
    for (size_t i = 0; i < s->depth; i++)
        if (at[i] != s->frames[i])
            return false;
    return true;
}

/* The slot of (s) in the table, or the free slot for it. */
static uint32_t *find_slot(const struct stack_pool *p, const struct stack *s,
                           uint32_t hash)
{
    size_t mask = p->table.size - 1;

    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        uint32_t number = p->table.slots[i];

        if (number == 0 || equal(p, number, s, hash))
            return &p->table.slots[i];
    }
}

static uint64_t hash_of_stack(const void *pool, uint32_t number)
{
    const struct stack_pool *p = pool;

    return p->places[number].hash;
}

/* Make room for one more stack of (addresses). */
static int make_room(struct stack_pool *p, size_t addresses, struct budget *b)
{
    if (p->count == 0)
        p->count = 1; /* number 0 is STACK_UNKNOWN */
    if (p->count == UINT32_MAX)
        return -1;
    uint64_t *addresses_moved =
        budget_grow(b, p->addresses, &p->address_capacity,
                    p->address_count + addresses, sizeof *p->addresses);

    if (!addresses_moved)
        return -1;
    p->addresses = addresses_moved;
    struct stack_place *places =
        budget_grow(b, p->places, &p->capacity, p->count + 1, sizeof *places);

    if (!places)
        return -1;
    p->places = places;
    return budget_table_grow(b, &p->table, (uint32_t)p->count - 1, 1,
                             hash_of_stack, p);
}

uint32_t stack_pool_add(struct stack_pool *p, const struct stack *s,
                        struct budget *b)
{
    uint32_t hash = stack_hash(p, s);
    uint32_t *slot = p->table.size != 0 ? find_slot(p, s, hash) : NULL;

    if (slot != NULL && *slot != 0)
        return *slot;
    if (make_room(p, word_count(s->slot_mask) + s->depth, b) < 0)
        return STACK_OTHERS;
    slot = find_slot(p, s, hash); /* the table may have moved */
    p->places[p->count] = (struct stack_place){.first = p->address_count,
                                               .hash = hash,
                                               .sp = s->sp,
                                               .generation = s->generation,
                                               .thread = s->thread,
                                               .depth = (uint8_t)s->depth,
                                               .end = s->end,
                                               .slot_mask = s->slot_mask,
                                               .request = s->request};
    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        if (s->slot_mask >> i & 1)
            p->addresses[p->address_count++] = s->words[i];
    for (size_t i = 0; i < s->depth; i++)
        p->addresses[p->address_count++] = s->frames[i];
    *slot = (uint32_t)p->count++;
    return *slot;
}

struct stack profile_stack(const struct profile *p, uint32_t number)
{
    return stack_pool_get(p->stacks, number);
}
