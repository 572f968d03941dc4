/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of one core by leaf and stack. */
#include "profile/aggregate/entries.h"

#include <stdbool.h>
#include <stdlib.h>

#define BLOCK 64u /* samples whose memory is fetched together */

/* Units of no sample: for a batch with long samples, and for entry 0. */
#define UNIT_OF_LONG (UINT32_MAX - 1)
#define UNIT_OF_NONE UINT32_MAX

void entries_fini(struct entries *e)
{
    free(e->list);
    free(e->refused);
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
    uint32_t unit = (uint32_t)batch->shift << 16 | batch->period;

    if (st->unit == unit)
        return;
    st->unit = unit;
    for (uint32_t i = 0; i < 1u << WIRE_CELL_LATE_BITS; i++) {
        const struct sample s = {.late = SHORT_LATE(i), .weight = 1};
        struct tally t = {0};
        size_t class = 0;

        tally_sample(&t, batch, &s);
        while (t.late_class[class] == 0)
            class ++;
        st->by_bits[i].late = t.late;
        st->by_bits[i].late_time = t.late_time;
        st->by_bits[i].late_class = class;
    }
}

/* Add a short sample to an entry that is open in the unit of (st). The result
 * is the same as by tally_sample() after close_entry(). */
static void tally_short(struct tally *t, const struct short_tallies *st,
                        uint32_t late)
{
    unsigned bits = late_bits(late);

    t->late += st->by_bits[bits].late;
    t->late_time += st->by_bits[bits].late_time;
    t->late_class[st->by_bits[bits].late_class]++;
}

/* Bring the sums of (entry) up to date: add the short samples that only its
 * classes of lateness count. */
static void close_entry(struct profile_entry *entry)
{
    struct tally *t = &entry->tally;
    double time =
        (double)((uint64_t)(entry->unit & 0xffffu) << (entry->unit >> 16));
    uint64_t open = 0;

    for (size_t i = 0; i < LATE_CLASSES; i++)
        open += t->late_class[i];
    open -= t->samples;
    if (open == 0)
        return;
    t->samples += open;
    t->weight += open;
    t->time += time * (double)open;
    t->time_sq += time * time * (double)open;
}

void entries_close(struct entries *e)
{
    for (uint32_t i = 1; i <= e->count; i++)
        close_entry(&e->list[i]);
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
    const struct profile_entry *entry = &e->list[number];

    return entry_hash(e, entry->leaf, entry->stack);
}

/* Make the list, with entry 0, which no sample belongs to. */
static bool make_list(struct entries *e, struct budget *b)
{
    e->list = budget_grow(b, NULL, &e->capacity, 1, sizeof e->list[0]);
    if (e->list == NULL)
        return false;
    e->list[0].unit = UNIT_OF_NONE;
    return true;
}

/* Make room for some more entries. Returns how many entries the table may hold
 * then. The number is limited, because a table must never be full, and a table
 * that cannot grow must not become slow. 0: there is no table or no list. */
static size_t make_room(struct entries *e, struct budget *b)
{
    if (e->list == NULL && !make_list(e, b))
        return 0;
    int grown = budget_table_grow(b, &e->table, e->count, 1, hash_of_entry, e);

    if (e->table.size == 0)
        return 0;
    return grown == 0 ? e->table.size - 1 : e->table.size / 4 * 3;
}

/* The first slot of the table for (leaf, stack). */
static size_t first_slot(const struct entries *e, uint64_t leaf, uint32_t stack)
{
    return entry_hash(e, leaf, stack) & (e->table.size - 1);
}

/* The slot of (leaf, stack), or the free one where it would go, from the first
 * slot (i) on. */
static uint32_t *find_slot(const struct entries *e, uint64_t leaf,
                           uint32_t stack, size_t i)
{
    size_t mask = e->table.size - 1;

    for (; e->table.slots[i] != 0; i = (i + 1) & mask) {
        const struct profile_entry *entry = &e->list[e->table.slots[i]];

        if (entry->leaf == leaf && entry->stack == stack)
            break;
    }
    return &e->table.slots[i];
}

/* Remember that there was no room for the entry of (leaf, stack). */
static void refuse(struct entries *e, uint64_t leaf, uint32_t stack)
{
    if (stack == STACK_OTHERS)
        return;
    if (e->refused == NULL)
        e->refused = calloc(1, sizeof *e->refused);
    if (e->refused != NULL)
        distinct_add(e->refused, entry_hash(e, leaf, stack));
}

/* Create the entry of (leaf, stack) in (slot). Returns its number; 0 if there
 * is no room, or if there are (most) entries. */
static uint32_t add_entry(struct entries *e, uint32_t *slot, uint64_t leaf,
                          uint32_t stack, size_t most, struct budget *b)
{
    if (e->count >= most) {
        refuse(e, leaf, stack);
        return 0;
    }

    uint64_t kept = stack == STACK_OTHERS ? 0 : budget_keep(b, e->kept);
    struct profile_entry *list =
        budget_grow(b, e->list, &e->capacity, e->count + 2u, sizeof *list);

    b->left += kept;
    if (!list) {
        refuse(e, leaf, stack);
        return 0;
    }
    e->list = list;
    *slot = ++e->count;
    list[*slot].leaf = leaf;
    list[*slot].stack = stack;
    return *slot;
}

/* The number of the entry of (leaf, stack), whose first slot is (first),
 * created if necessary; 0 if add_entry() cannot create it. */
static uint32_t find_entry(struct entries *e, uint64_t leaf, uint32_t stack,
                           size_t first, size_t most, struct budget *b)
{
    uint32_t *slot = find_slot(e, leaf, stack, first);

    return *slot != 0 ? *slot : add_entry(e, slot, leaf, stack, most, b);
}

/* The number of the entry of (leaf, stack), or of the entry for (leaf) and
 * STACK_OTHERS. 0: count the sample in (others). */
static uint32_t find_for(struct entries *e, uint64_t leaf, uint32_t stack,
                         size_t first, size_t most, struct budget *b)
{
    uint32_t number = find_entry(e, leaf, stack, first, most, b);

    return number != 0 ? number
                       : find_entry(e, leaf, STACK_OTHERS,
                                    first_slot(e, leaf, STACK_OTHERS), most, b);
}

/* Find the likely entries of at most BLOCK samples. Stores in first[i] the
 * first slot of the table for sample[i], and in numbers[i] the entry in that
 * slot. The loops are unrolled, because otherwise counting took a quarter of
 * their time. */
static void find_likely(const struct entries *e, const struct sample *s,
                        uint32_t *first, uint32_t *numbers, size_t count)
{
    const uint32_t *slots = e->table.slots;

#pragma GCC unroll 8
    for (size_t i = 0; i < count; i++) {
        first[i] = (uint32_t)first_slot(e, s[i].leaf, s[i].stack);
        __builtin_prefetch(&slots[first[i]]);
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < count; i++) {
        const struct profile_entry *likely = &e->list[slots[first[i]]];

        numbers[i] = slots[first[i]];
        __builtin_prefetch(likely);
        __builtin_prefetch(likely->tally.late_class);
    }
}

/* Is (entry) that of (s), and open in (unit)? */
static bool is_open(const struct profile_entry *entry, const struct sample *s,
                    uint32_t unit)
{
    return entry->leaf == s->leaf && entry->stack == s->stack &&
           entry->unit == unit;
}

/* Add (s), whose entry is not the likely one, or not open in the unit of
 * (batch). Returns the number of the entry, or 0. */
static uint32_t add_one(struct entries *e, const struct sample_batch *batch,
                        const struct sample *s, size_t first, size_t most,
                        struct budget *b)
{
    uint32_t number = find_for(e, s->leaf, s->stack, first, most, b);
    struct profile_entry *entry = &e->list[number];

    if (number == 0 || !batch->is_short) {
        tally_sample(number == 0 ? &e->others : &entry->tally, batch, s);
        return number;
    }
    if (entry->unit != e->short_tallies.unit) {
        close_entry(entry);
        entry->unit = e->short_tallies.unit;
    }
    tally_short(&entry->tally, &e->short_tallies, s->late);
    return number;
}

/* Add at most BLOCK samples. The entries do not fit into the first cache.
 * Therefore memory for the later samples of a block is fetched while the first
 * ones are added. */
static void add_block(struct entries *e, const struct sample_batch *batch,
                      const struct sample *s, uint32_t *numbers, size_t count,
                      size_t most, struct budget *b)
{
    const uint32_t unit =
        batch->is_short ? e->short_tallies.unit : UNIT_OF_LONG;
    uint32_t first[BLOCK];

    find_likely(e, s, first, numbers, count);
    for (size_t i = 0; i < count; i++) {
        struct profile_entry *likely = &e->list[numbers[i]];

        if (is_open(likely, &s[i], unit))
            tally_short(&likely->tally, &e->short_tallies, s[i].late);
        else
            numbers[i] = add_one(e, batch, &s[i], first[i], most, b);
    }
}

/* The number of samples, at most (count), to add before the table grows again.
 * Each may need an entry, and the table has room for (most). */
static size_t block_size(const struct entries *e, size_t count, size_t most)
{
    size_t some = count < BLOCK ? count : BLOCK;

    if (most > e->count && some > most - e->count)
        some = most - e->count;
    return some;
}

void entries_add(struct entries *e, const struct sample_batch *batch,
                 const struct sample *samples, uint32_t *numbers, size_t count,
                 struct budget *b)
{
    if (batch->is_short)
        prepare_short(&e->short_tallies, batch);
    while (count > 0) {
        size_t most = make_room(e, b);
        size_t some = block_size(e, count, most);

        if (most != 0)
            add_block(e, batch, samples, numbers, some, most, b);
        else /* there is no room even for one */
            for (size_t i = 0; i < some; i++) {
                numbers[i] = 0;
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
    size_t most = make_room(e, b);
    uint32_t number = most != 0 ? find_for(e, leaf, stack,
                                           first_slot(e, leaf, stack), most, b)
                                : 0;

    tally_add(number != 0 ? &e->list[number].tally : &e->others, t);
}
