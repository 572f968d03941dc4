/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums by leaf and stack. A profile has more entries than the first cache
 * holds. So samples are added in blocks, and memory for the later samples of a
 * block is fetched while the first ones are added.
 */
#include "aggregate/entries.h"

#include <stdlib.h>

#include "util/hash.h"

#define BLOCK 32u

void entries_fini(struct entries *e)
{
    free(e->list);
    free(e->table.slots);
}

static uint64_t entry_hash(const struct entries *e, uint64_t leaf,
                           uint32_t stack)
{
    return hash_mix(hash_mix(e->seed, leaf), stack);
}

static size_t late_class(uint64_t ticks)
{
    size_t bits = ticks ? 64u - (size_t)__builtin_clzll(ticks) : 0;
    size_t class = bits <= 10 ? 0 : (bits - 11) / 2 + 1;

    return class < LATE_CLASSES ? class : LATE_CLASSES - 1;
}

static void tally_sample(struct tally *t, const struct sample_batch *batch,
                         const struct sample *s)
{
    /* a jump's weight and lateness measure the jump, not the code */
    bool jump = s->flags & WIRE_SAMPLE_JUMP;
    uint32_t weight = jump ? 1 : s->weight;
    uint64_t late = jump ? 0 : (uint64_t)s->late << batch->shift;
    double time =
        (double)((uint64_t)batch->period << batch->shift) * (double)weight;

    t->samples++;
    t->weight += weight;
    t->time += time;
    t->time_sq += time * time;
    t->late += (double)late;
    t->late_class[late_class(late)]++;
}

void tally_add(struct tally *sum, const struct tally *t)
{
    sum->samples += t->samples;
    sum->weight += t->weight;
    sum->time += t->time;
    sum->time_sq += t->time_sq;
    sum->late += t->late;
    for (size_t i = 0; i < LATE_CLASSES; i++)
        sum->late_class[i] += t->late_class[i];
}

struct tally tally_scaled(const struct tally *t, double scale)
{
    struct tally scaled = *t;

    scaled.time *= scale;
    scaled.time_sq *= scale * scale;
    scaled.late *= scale;
    return scaled;
}

static uint64_t hash_of_entry(const void *entries, uint32_t number)
{
    const struct entries *e = entries;
    const struct profile_entry *entry = &e->list[number - 1];

    return entry_hash(e, entry->leaf, entry->stack);
}

static int grow_table(struct entries *e, struct budget *b)
{
    return budget_table_grow(b, &e->table, (uint32_t)e->count, hash_of_entry,
                             e);
}

/* The entry for (s), made if need be; NULL if there is no room. */
static struct profile_entry *find_entry(struct entries *e,
                                        const struct sample *s, uint64_t hash,
                                        struct budget *b)
{
    size_t mask = e->table.size - 1;
    size_t i = hash & mask;

    for (; e->table.slots[i] != 0; i = (i + 1) & mask) {
        struct profile_entry *entry = &e->list[e->table.slots[i] - 1];

        if (entry->leaf == s->leaf && entry->stack == s->stack)
            return entry;
    }
    struct profile_entry *list =
        e->count == UINT32_MAX
            ? NULL
            : budget_grow(b, e->list, &e->capacity, e->count + 1, sizeof *list);

    if (!list)
        return NULL;
    e->list = list;
    struct profile_entry *entry = &e->list[e->count++];

    entry->leaf = s->leaf;
    entry->stack = s->stack;
    e->table.slots[i] = (uint32_t)e->count;
    return entry;
}

/* Returns how many of the at most BLOCK samples were left out. */
static uint64_t add_block(struct entries *e, const struct sample_batch *batch,
                          const struct sample *s, size_t count,
                          struct budget *b)
{
    uint64_t hash[BLOCK];
    uint64_t left_out = 0;
    size_t mask = e->table.size - 1;

    for (size_t i = 0; i < count; i++) {
        hash[i] = entry_hash(e, s[i].leaf, s[i].stack);
        __builtin_prefetch(&e->table.slots[hash[i] & mask]);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t likely = e->table.slots[hash[i] & mask];

        if (likely != 0) { /* an entry may lie across two cache lines */
            __builtin_prefetch(&e->list[likely - 1]);
            __builtin_prefetch((const char *)&e->list[likely] - 1);
        }
    }
    for (size_t i = 0; i < count; i++) {
        struct profile_entry *entry = find_entry(e, &s[i], hash[i], b);

        if (entry)
            tally_sample(&entry->tally, batch, &s[i]);
        else
            left_out++;
    }
    return left_out;
}

uint64_t entries_add(struct entries *e, const struct sample_batch *batch,
                     const struct sample *samples, size_t count,
                     struct budget *b)
{
    uint64_t left_out = 0;

    while (count > 0) {
        size_t some = count < BLOCK ? count : BLOCK;

        /* only with a table that has room for them all is it never full */
        if (grow_table(e, b) < 0 && e->count + some >= e->table.size)
            return left_out + count;
        left_out += add_block(e, batch, samples, some, b);
        samples += some;
        count -= some;
    }
    return left_out;
}

int entries_merge(struct entries *e, uint64_t leaf, uint32_t stack,
                  const struct tally *t, struct budget *b)
{
    struct sample s = {.leaf = leaf, .stack = stack};

    if (grow_table(e, b) < 0 && e->count + 1 >= e->table.size)
        return -1;
    struct profile_entry *entry =
        find_entry(e, &s, entry_hash(e, leaf, stack), b);

    if (!entry)
        return -1;
    tally_add(&entry->tally, t);
    return 0;
}
