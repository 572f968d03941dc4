/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks of several windows -> one chunk. */
#include "recording/packed/packed_merge.h"

#include <stdlib.h>

#include "profile/aggregate/stack_pool.h"
#include "recording/packed/format.h"
#include "recording/packed/pack_bytes.h"
#include "recording/packed/pack_stacks.h"
#include "recording/packed/squeeze.h"
#include "recording/packed/unpack.h"
#include "recording/packed/unpack_parts.h"
#include "util/hash.h"
#include "util/pair_map.h"
#include "util/vec.h"

#define LEVEL       6  /* level of compression */
#define SAMPLE_MAX  5u /* about the bytes of a sample */
#define ADDRESS_MAX 8u /* about the bytes of an address */
#define PAIR_MAX    12u
#define PAIRS_MAX   (PACKED_BLOCK_MAX / 16)

struct merge_pair {
    /* number: before pairs are sorted by their uses */
    uint32_t stack, uses, number;
    uint64_t leaf;
};

struct packed_merge {
    struct unpack *unpack;
    uint64_t arrival_ns, text_start; /* of the block */
    bool has_text;
    size_t windows;
    struct stack_pool stacks;
    struct budget budget;
    struct pair_map map; /* numbers of pairs */
    struct merge_pair *pairs;
    size_t pair_count, pair_room;
    uint32_t *numbers; /* a column: the number of each sample's pair */
    size_t count, number_room;
    struct pack_bytes intervals, late, extras, items;
};

/* Empty (m). */
static void empty(struct packed_merge *m)
{
    stack_pool_fini(&m->stacks);
    m->stacks = (struct stack_pool){.seed = hash_seed()};
    /* no limit is needed, since blocks are small */
    m->budget.left = SIZE_MAX / 2;
    map_fini(&m->map);
    m->pair_count = m->count = m->windows = 0;
    m->has_text = false;
    m->intervals.size = m->late.size = m->extras.size = m->items.size = 0;
}

struct packed_merge *packed_merge_new(void)
{
    struct packed_merge *m = calloc(1, sizeof *m);

    if (m != NULL)
        m->unpack = unpack_new();
    if (m != NULL && m->unpack == NULL) {
        free(m);
        return NULL;
    }
    if (m != NULL)
        empty(m);
    return m;
}
void packed_merge_free(struct packed_merge *m)
{
    if (m == NULL)
        return;
    empty(m);
    unpack_free(m->unpack);
    free(m->pairs);
    free(m->numbers);
    free(m->intervals.bytes);
    free(m->late.bytes);
    free(m->extras.bytes);
    free(m->items.bytes);
    free(m);
}

/* The number in (m) of stack (id) of the block that is being read. */
static uint32_t add_stack(struct packed_merge *m, uint32_t id)
{
    const struct unpack *u = m->unpack;
    const struct unpack_stack *s = &u->stacks[id];
    uint64_t frames[WIRE_STACK_FRAMES_MAX];
    struct stack kept = {
        .frames = frames,
        .end = (uint8_t)(s->end | (s->mask & PACKED_LOADED ? PACK_LOADED : 0)),
        .slot_mask = s->mask & ((1u << WIRE_STACK_SLOTS) - 1),
        .sp = s->sp,
        .generation = s->generation};

    for (uint32_t n = s->node; n != NODE_NONE; n = u->nodes[n].parent)
        frames[kept.depth++] = u->nodes[n].address;
    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        if (kept.slot_mask >> i & 1)
            kept.words[i] = s->words[i];
    return stack_pool_add(&m->stacks, &kept, &m->budget);
}

/* Add the pairs of the run that is being read. Stores their numbers in
 * (numbers). */
static bool add_pairs(struct packed_merge *m, uint32_t *numbers)
{
    const struct unpack *u = m->unpack;

    for (size_t i = 0; i < u->pair_count; i++) {
        const struct unpack_pair *p = &u->pairs[i];
        uint32_t stack = p->stack != 0 ? add_stack(m, p->stack) : STACK_UNKNOWN;
        uint32_t *at =
            stack != STACK_OTHERS ? map_put(&m->map, stack, p->leaf) : NULL;

        if (at == NULL)
            return false;
        if (*at == MAP_NOTHING) {
            *at = (uint32_t)m->pair_count;
            if (vec_grow(&m->pairs, &m->pair_room, m->pair_count,
                         sizeof *m->pairs) != 0)
                return false;
            m->pairs[m->pair_count] =
                (struct merge_pair){stack, 0, (uint32_t)m->pair_count, p->leaf};
            m->pair_count++;
        }
        numbers[i] = *at;
    }
    return true;
}

static bool add_sample(struct packed_merge *m, const uint32_t *numbers)
{
    struct unpack *u = m->unpack;
    uint64_t pair = u->pair[u->at];
    uint8_t interval = u->interval[u->at], late = u->late[u->at];

    if (pair == PACKED_EXTRA)
        pair = cursor_uleb(&u->extras);
    if (pair >= u->pair_count || vec_grow(&m->numbers, &m->number_room,
                                          m->count, sizeof *m->numbers) != 0)
        return false;
    m->numbers[m->count++] = numbers[pair];
    pack_u8(&m->intervals, interval);
    if (interval == PACKED_EXTRA)
        pack_uleb(&m->extras, cursor_uleb(&u->extras));
    pack_u8(&m->late, late & 15u);
    for (size_t i = 0; (late & 15u) == PACKED_LATE_EXTRA && i < 3; i++)
        pack_uleb(&m->extras, cursor_uleb(&u->extras));
    return !u->extras.bad;
}

/* Convert the item of samples at u->in to a run of the merged block. */
static bool add_run(struct packed_merge *m)
{
    struct unpack *u = m->unpack;
    struct pack_bytes *to = &m->items;
    struct pack_bytes lost = {0};
    uint32_t *numbers;
    bool good;

    unpack_samples_begin(u);
    if (u->in.bad)
        return false;
    pack_u8(to, PACKED_RUN);
    pack_uint(to, u->core, 2);
    pack_u8(to, u->shift);
    pack_uint(to, u->period, 2);
    pack_u8(to, u->round);
    pack_uleb(to, u->time);
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        pack_uleb(to, u->counter[i]);
    pack_uleb(to, u->count);
    pack_uleb(to, u->loss_left);
    if (u->loss_left != 0)
        pack_uleb(&lost, u->loss_at);
    pack_copy(&lost, u->losses.at, cursor_left(&u->losses));
    pack_uleb(to, lost.size);
    pack_append(to, &lost);
    numbers = malloc((u->pair_count + 1) * sizeof *numbers);
    good = numbers != NULL && add_pairs(m, numbers);
    for (u->at = 0; good && u->at < u->count; u->at++)
        good = add_sample(m, numbers);
    free(numbers);
    u->left = 0;
    return good;
}

/* Copy the item that begins at (begin) and ends at u->in. */
static void copy_item(struct packed_merge *m, const uint8_t *begin)
{
    pack_copy(&m->items, begin, (size_t)(m->unpack->in.at - begin));
}

static bool take_stacks(struct packed_merge *m, bool *other)
{
    struct unpack *u = m->unpack;
    struct err ignored;

    if (unpack_stacks(u, &ignored) != 0 || u->in.bad)
        return false;
    *other = m->has_text && m->text_start != u->text_start;
    m->has_text = true;
    m->text_start = *other ? m->text_start : u->text_start;
    return true;
}

/* Add all items of the block. False if the block is wrong, or there is no
 * memory; or with (*other) if its kernel image differs, so that the block
 * belongs into the next chunk. */
static bool add_items(struct packed_merge *m, uint64_t later_ns, bool *other)
{
    struct cursor *c = &m->unpack->in;
    bool good = true;

    while (good && !*other && cursor_left(c) != 0) {
        const uint8_t *begin = c->at;

        switch (cursor_u8(c)) {
        case PACKED_FRAME:
            (void)cursor_u8(c);
            cursor_skip(c, cursor_uleb(c));
            copy_item(m, begin);
            break;
        case PACKED_GAP:
            (void)cursor_uleb(c);
            copy_item(m, begin);
            break;
        case PACKED_LATER:
            pack_u8(&m->items, PACKED_LATER);
            pack_uleb(&m->items, cursor_uleb(c) + later_ns);
            break;
        case PACKED_STACKS:
            good = take_stacks(m, other);
            break;
        case PACKED_SAMPLES:
            good = add_run(m);
            break;
        default:
            good = false;
        }
        good &= !c->bad;
    }
    return good && !*other;
}

/* Upper limit of the block's bytes. Not counted are pairs that are repeated
 * and take three bytes each time. */
static size_t bound(const struct packed_merge *m)
{
    return m->count * SAMPLE_MAX + m->extras.size + m->items.size +
           m->stacks.address_count * ADDRESS_MAX +
           m->stacks.count * ADDRESS_MAX + m->pair_count * PAIR_MAX;
}

enum packed_merge_took packed_merge_add(struct packed_merge *m,
                                        uint64_t start_ms, uint64_t arrival_ns,
                                        const void *data, size_t size,
                                        struct err *e)
{
    struct unpack *u = m->unpack;
    size_t count = m->count, items = m->items.size, extras = m->extras.size;
    bool other = false;

    if (unpack_begin(u, data, size, e) != 0)
        return PACKED_MERGE_FAILED;
    size_t left = cursor_left(&u->in);

    if (m->windows != 0 &&
        (arrival_ns < m->arrival_ns || bound(m) + 2 * left > PACKED_BLOCK_MAX ||
         m->stacks.count + left / 4 > PACKED_STACKS_MAX ||
         m->pair_count + left / 4 > PAIRS_MAX))
        return PACKED_MERGE_FULL;
    if (m->windows == 0)
        m->arrival_ns = arrival_ns;
    pack_u8(&m->items, PACKED_WINDOW);
    pack_uleb(&m->items, start_ms);
    pack_uleb(&m->items, arrival_ns - m->arrival_ns);
    if (add_items(m, arrival_ns - m->arrival_ns, &other) &&
        m->stacks.count <= PACKED_STACKS_MAX && m->pair_count <= PAIRS_MAX) {
        m->windows++;
        return PACKED_MERGE_TOOK;
    }
    m->count = m->intervals.size = m->late.size = count;
    m->items.size = items;
    m->extras.size = extras;
    if (m->windows == 0)
        empty(m);
    if (other)
        return PACKED_MERGE_FULL;
    (void)err_set(e, "a packed chunk is not one of a small window");
    return PACKED_MERGE_FAILED;
}

static int rarer(const void *a, const void *b)
{
    const struct merge_pair *x = a, *y = b;

    return x->uses != y->uses
               ? (x->uses < y->uses) - (x->uses > y->uses)
               : (x->number > y->number) - (x->number < y->number);
}

static int lower(const void *a, const void *b)
{
    const struct merge_pair *x = a, *y = b;

    return (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

/* Give the most frequent pairs the numbers that take one byte. */
static void order_pairs(struct packed_merge *m)
{
    size_t near = m->pair_count < PACKED_EXTRA ? m->pair_count : PACKED_EXTRA;

    for (size_t i = 0; i < m->count; i++)
        m->pairs[m->numbers[i]].uses++;
    if (m->pair_count == 0)
        return;
    qsort(m->pairs, m->pair_count, sizeof *m->pairs, rarer);
    qsort(m->pairs, near, sizeof *m->pairs, lower);
    qsort(m->pairs + near, m->pair_count - near, sizeof *m->pairs, lower);
}

static void put_pairs(const struct packed_merge *m, struct pack_bytes *b)
{
    uint64_t leaf = 0;

    pack_uleb(b, m->pair_count);
    for (size_t i = 0; i < m->pair_count; i++)
        pack_uleb(b, m->pairs[i].stack);
    for (size_t i = 0; i < m->pair_count; i++) {
        pack_zigzag(b, m->pairs[i].leaf - leaf);
        leaf = m->pairs[i].leaf;
    }
}

/* Write the columns. (order) maps the numbers of pairs to sorted ones. */
static void put_columns(const struct packed_merge *m, const uint32_t *order,
                        struct pack_bytes *b, struct squeeze_cuts *cuts)
{
    struct pack_bytes far = {0};

    pack_uleb(b, m->count);
    squeeze_cut(cuts, b->size);
    for (size_t i = 0; i < m->count; i++) {
        uint32_t n = order[m->numbers[i]];

        pack_u8(b, (uint8_t)(n < PACKED_EXTRA ? n : PACKED_EXTRA));
        if (n >= PACKED_EXTRA)
            pack_uleb(&far, n);
    }
    squeeze_cut(cuts, b->size);
    pack_uleb(b, far.size);
    pack_append(b, &far);
    squeeze_cut(cuts, b->size);
    pack_copy(b, m->intervals.bytes, m->intervals.size);
    squeeze_cut(cuts, b->size);
    for (size_t i = 0; i < m->count; i += 2) {
        unsigned next = i + 1 < m->count ? m->late.bytes[i + 1] : 0u;

        pack_u8(b, (uint8_t)(m->late.bytes[i] | next << 4));
    }
    squeeze_cut(cuts, b->size);
    pack_uleb(b, m->extras.size);
    pack_copy(b, m->extras.bytes, m->extras.size);
    squeeze_cut(cuts, b->size);
    b->failed |= m->intervals.failed | m->late.failed | m->extras.failed;
}

/* Write the block into (b). False if there is no memory. */
static bool put_block(struct packed_merge *m, struct pack_bytes *b,
                      struct squeeze_cuts *cuts)
{
    uint32_t *used = malloc((m->stacks.count + 1) * sizeof *used);
    uint32_t *order = malloc((m->pair_count + 1) * sizeof *order);
    bool good = used != NULL && order != NULL;

    for (size_t i = 0; good && i <= m->stacks.count; i++)
        used[i] = (uint32_t)i;
    if (good) {
        order_pairs(m);
        for (size_t i = 0; i < m->pair_count; i++)
            order[m->pairs[i].number] = (uint32_t)i;
        pack_u8(b, PACKED_SHARED);
        pack_stacks(b, &m->stacks, m->text_start, used,
                    m->stacks.count != 0 ? m->stacks.count - 1 : 0);
        put_pairs(m, b);
        put_columns(m, order, b, cuts);
        pack_copy(b, m->items.bytes, m->items.size);
        good = !b->failed && !m->items.failed;
    }
    free(used);
    free(order);
    return good;
}

int packed_merge_end(struct packed_merge *m, struct packed_merge_chunk *chunk,
                     struct err *e)
{
    struct pack_bytes b = {0};
    struct squeeze_cuts cuts = {0};
    int result = -1;

    *chunk = (struct packed_merge_chunk){.arrival_ns = m->arrival_ns};
    if (m->windows == 0)
        return 0;
    if (put_block(m, &b, &cuts)) {
        size_t room = squeeze_bound(b.size, &cuts);

        chunk->bytes = malloc(room);
        chunk->size =
            chunk->bytes != NULL && b.size <= PACKED_BLOCK_MAX
                ? squeeze(chunk->bytes, room, b.bytes, b.size, &cuts, LEVEL)
                : 0;
    }
    if (chunk->size != 0)
        result = 0;
    else if (b.size > PACKED_BLOCK_MAX)
        (void)err_set(e, "%zu bytes do not fit into a chunk", b.size);
    else
        (void)err_memory(e);
    if (result != 0) {
        free(chunk->bytes);
        chunk->bytes = NULL;
    }
    free(b.bytes);
    empty(m);
    return result;
}
