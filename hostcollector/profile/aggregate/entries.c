/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of one core by leaf and stack. */
#include "profile/aggregate/entries.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/hash.h"

#define BLOCK 32u

void entries_fini(struct entries *e)
{
    free(e->list);
    free(e->table.slots);
}

/* The secret seed makes the hash secret, too: a guest cannot choose leaves and
 * stacks whose hashes are equal. */
static uint64_t entry_hash(const struct entries *e, uint64_t leaf,
                           uint32_t stack)
{
    return (e->seed ^ (leaf + stack * (e->seed | 1))) * 0x9e3779b97f4a7c15u >>
           32;
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
    t->late_time += late >= LATE_TICKS ? time : 0;
    t->late_class[late_class(late)]++;
}

/* Length of (units) in bits: the index in short_tallies.by_bits for a short
 * sample that is (units) late. */
static unsigned late_bits(uint32_t units)
{
    return 31u ^ (unsigned)__builtin_clz(units * 2 + 1);
}

/* Set (st) for the short samples of (batch). */
static void prepare_short(struct short_tallies *st,
                          const struct sample_batch *batch)
{
    if (st->period == batch->period && st->shift == batch->shift)
        return;
    st->period = batch->period;
    st->shift = batch->shift;
    for (uint32_t i = 0; i < 1u << WIRE_CELL_LATE_BITS; i++) {
        const struct sample s = {.late = SHORT_LATE(i), .weight = 1};
        struct tally t = {0};
        size_t class = 0;

        tally_sample(&t, batch, &s);
        while (t.late_class[class] == 0)
            class ++;
        st->time = t.time;
        st->time_sq = t.time_sq;
        st->by_bits[i].late = t.late;
        st->by_bits[i].late_time = t.late_time;
        st->by_bits[i].late_class = class;
    }
}

/* Add a short sample, as tally_sample() does. */
static void tally_short(struct tally *t, const struct short_tallies *st,
                        uint32_t late)
{
    unsigned bits = late_bits(late);

    t->samples++;
    t->weight++;
    t->time += st->time;
    t->time_sq += st->time_sq;
    t->late += st->by_bits[bits].late;
    t->late_time += st->by_bits[bits].late_time;
    t->late_class[st->by_bits[bits].late_class]++;
}

void tally_add(struct tally *sum, const struct tally *t)
{
    sum->samples += t->samples;
    sum->weight += t->weight;
    sum->time += t->time;
    sum->time_sq += t->time_sq;
    sum->late += t->late;
    sum->late_time += t->late_time;
    for (size_t i = 0; i < LATE_CLASSES; i++)
        sum->late_class[i] += t->late_class[i];
}

struct tally tally_scaled(const struct tally *t, double scale)
{
    struct tally scaled = *t;

    scaled.time *= scale;
    scaled.time_sq *= scale * scale;
    scaled.late *= scale;
    scaled.late_time *= scale;
    return scaled;
}

static uint64_t hash_of_entry(const void *entries, uint32_t number)
{
    const struct entries *e = entries;
    const struct profile_entry *entry = &e->list[number - 1];

    return entry_hash(e, entry->leaf, entry->stack);
}

/* Make room for some more entries. Returns how many entries the table may then
 * hold: a table that cannot grow must not become slow, and a table must never
 * be full. */
static size_t grow_table(struct entries *e, struct budget *b)
{
    int grown =
        budget_table_grow(b, &e->table, (uint32_t)e->count, hash_of_entry, e);

    return grown == 0 ? e->table.size - 1 : e->table.size / 4 * 3;
}

/* The slot of (leaf, stack), or the free one where it would go. */
static uint32_t *find_slot(const struct entries *e, uint64_t leaf,
                           uint32_t stack, uint64_t hash)
{
    size_t mask = e->table.size - 1;
    size_t i = hash & mask;

    for (; e->table.slots[i] != 0; i = (i + 1) & mask) {
        const struct profile_entry *entry = &e->list[e->table.slots[i] - 1];

        if (entry->leaf == leaf && entry->stack == stack)
            break;
    }
    return &e->table.slots[i];
}

/* The entry of (leaf, stack), created if necessary. NULL if there is no room,
 * or if there are (most) entries. */
static struct profile_entry *find_entry(struct entries *e, uint64_t leaf,
                                        uint32_t stack, uint64_t hash,
                                        size_t most, struct budget *b)
{
    uint32_t *slot = find_slot(e, leaf, stack, hash);

    if (*slot != 0)
        return &e->list[*slot - 1];
    if (e->count >= most)
        return NULL;

    uint64_t kept = stack == STACK_OTHERS ? 0 : budget_keep(b, e->kept);
    struct profile_entry *list =
        budget_grow(b, e->list, &e->capacity, e->count + 1, sizeof *list);

    b->left += kept;
    if (!list)
        return NULL;
    e->list = list;
    struct profile_entry *entry = &e->list[e->count++];

    entry->leaf = leaf;
    entry->stack = stack;
    *slot = (uint32_t)e->count;
    return entry;
}

/* The entry for (leaf) and STACK_OTHERS, when there is no room for the stack.
 * NULL: count the sample in (others). */
static struct profile_entry *find_others(struct entries *e, uint64_t leaf,
                                         size_t most, struct budget *b)
{
    return find_entry(e, leaf, STACK_OTHERS, entry_hash(e, leaf, STACK_OTHERS),
                      most, b);
}

/* The entry of (s), whose hash is (hash), or the entry of its leaf. NULL:
 * count the sample in (others). */
static struct profile_entry *find_for(struct entries *e, const struct sample *s,
                                      uint64_t hash, size_t most,
                                      struct budget *b)
{
    struct profile_entry *entry =
        find_entry(e, s->leaf, s->stack, hash, most, b);

    return entry ? entry : find_others(e, s->leaf, most, b);
}

/* Find the likely entries of at most BLOCK samples. first[i] becomes the first
 * slot of the table for sample[i], and numbers[i] the entry in that slot,
 * counted from 1, or 0. */
static void find_likely(const struct entries *e, const struct sample *s,
                        uint64_t *first, uint32_t *numbers, size_t count)
{
    size_t mask = e->table.size - 1;

    for (size_t i = 0; i < count; i++) {
        first[i] = entry_hash(e, s[i].leaf, s[i].stack) & mask;
        __builtin_prefetch(&e->table.slots[first[i]]);
    }
    for (size_t i = 0; i < count; i++) {
        numbers[i] = e->table.slots[first[i]];
        if (numbers[i] != 0) { /* an entry may lie across two cache lines */
            const struct profile_entry *behind = e->list + numbers[i];

            __builtin_prefetch(behind - 1);
            __builtin_prefetch((const char *)behind - 1);
        }
    }
}

/* Does (s) belong to entry (number), counted from 1? */
static bool is_of(const struct entries *e, const struct sample *s,
                  uint32_t number)
{
    return number != 0 && e->list[number - 1].leaf == s->leaf &&
           e->list[number - 1].stack == s->stack;
}

/* Add at most BLOCK samples. The entries do not fit into the first cache.
 * Therefore memory for the later samples of a block is fetched while the first
 * ones are added. */
static void add_block(struct entries *e, const struct sample_batch *batch,
                      const struct sample *s, uint32_t *numbers, size_t count,
                      size_t most, struct budget *b)
{
    const bool is_short = batch->is_short;
    uint64_t first[BLOCK];

    find_likely(e, s, first, numbers, count);
    for (size_t i = 0; i < count; i++) {
        struct tally *t = &e->others;

        if (is_of(e, &s[i], numbers[i])) {
            numbers[i]--;
            t = &e->list[numbers[i]].tally;
        } else {
            struct profile_entry *entry = find_for(e, &s[i], first[i], most, b);

            numbers[i] = entry ? (uint32_t)(entry - e->list) : ENTRY_OTHERS;
            t = entry ? &entry->tally : t;
        }
        if (is_short)
            tally_short(t, &e->short_tallies, s[i].late);
        else
            tally_sample(t, batch, &s[i]);
    }
}

void entries_add(struct entries *e, const struct sample_batch *batch,
                 const struct sample *samples, uint32_t *numbers, size_t count,
                 struct budget *b)
{
    if (batch->is_short)
        prepare_short(&e->short_tallies, batch);
    while (count > 0) {
        size_t some = count < BLOCK ? count : BLOCK;
        size_t most = grow_table(e, b);

        if (e->table.size != 0)
            add_block(e, batch, samples, numbers, some, most, b);
        else /* there is no room even for one */
            for (size_t i = 0; i < some; i++) {
                numbers[i] = ENTRY_OTHERS;
                tally_sample(&e->others, batch, &samples[i]);
            }
        samples += some;
        numbers += some;
        count -= some;
    }
}

void entries_merge(struct entries *e, uint64_t leaf, uint32_t stack,
                   const struct tally *t, struct budget *b)
{
    size_t most = grow_table(e, b);
    struct profile_entry *entry = NULL;

    if (e->table.size != 0)
        entry = find_entry(e, leaf, stack, entry_hash(e, leaf, stack), most, b);
    if (!entry && e->table.size != 0)
        entry = find_others(e, leaf, most, b);
    tally_add(entry ? &entry->tally : &e->others, t);
}
