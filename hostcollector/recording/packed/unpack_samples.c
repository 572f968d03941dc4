/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns of samples -> SAMPLES frames. */
#include <string.h>

#include "recording/packed/unpack_parts.h"
#include "util/bytes.h"

#define HEAD_SIZE    6u /* bytes of the fixed head of an item of samples */
#define SHIFT_MAX    40u
#define RECORD_MAX   (255u * WIRE_CELL_SIZE)
#define COUNTERS_MAX (1u + WIRE_COUNTERS * 10u)
#define CELLS_END    (WIRE_FRAME_HEADER + WIRE_BODY_MAX - COUNTERS_MAX)
#define SMALL        64u /* a long sample and a LOST, with room to spare */

static uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

/* Begin a long record in the frame. The rest of its last cell is filled with
 * 0. */
static uint8_t *record_begin(struct unpack *u, enum wire_long type)
{
    uint8_t *at = u->frame.bytes + u->frame.used;

    at[WIRE_LONG_TYPE] = (uint8_t)(type << 1 | 1);
    u->frame.used += WIRE_LONG_HEADER;
    return at;
}

static void record_end(struct unpack *u, uint8_t *at)
{
    uint8_t *end = u->frame.bytes + u->frame.used;
    size_t cells = ((size_t)(end - at) + WIRE_CELL_SIZE - 1) / WIRE_CELL_SIZE;
    uint8_t *whole = at + cells * WIRE_CELL_SIZE;

    memset(end, 0, (size_t)(whole - end));
    at[WIRE_LONG_CELLS] = (uint8_t)cells;
    u->frame.used = (size_t)(whole - u->frame.bytes);
}

static void put_begin(struct unpack *u, uint32_t generation)
{
    uint8_t *at = record_begin(u, WIRE_LONG_BEGIN);

    u->begun = true;
    u->generation = generation;
    u->epoch++;
    dump_frame_varint(&u->frame, u->time << u->shift);
    dump_frame_varint(&u->frame, u->shift);
    dump_frame_varint(&u->frame, u->period);
    dump_frame_varint(&u->frame, u->epoch);
    dump_frame_varint(&u->frame, generation);
    record_end(u, at);
}

static void put_address(struct unpack *u, uint64_t address, uint64_t *last)
{
    dump_frame_varint(&u->frame, zigzag(address - *last));
    *last = address;
}

static void put_stack(struct unpack *u, uint32_t id)
{
    struct unpack_stack *s = &u->stacks[id];
    struct dump_frame *f = &u->frame;
    bool loaded = s->mask & PACKED_LOADED;
    uint64_t last = u->text_start;
    uint8_t *at =
        record_begin(u, loaded ? WIRE_LONG_STACK_AT : WIRE_LONG_STACK);

    s->defined = u->epoch;
    /* leaves of these stacks are counted from the start of text, too */
    if (loaded)
        dump_frame_varint(f, 0);
    dump_frame_varint(f, id);
    dump_frame_varint(f, s->end);
    dump_frame_varint(f, s->mask & ((1u << WIRE_STACK_SLOTS) - 1));
    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        if (s->mask >> i & 1)
            put_address(u, s->words[i], &last);
    dump_frame_varint(f, 0);
    dump_frame_varint(f, s->node == NODE_NONE ? 0 : u->nodes[s->node].depth);
    for (uint32_t n = s->node; n != NODE_NONE; n = u->nodes[n].parent)
        put_address(u, u->nodes[n].address, &last);
    if (s->sp != 0)
        dump_frame_varint(f, s->sp);
    record_end(u, at);
}

/* Write LOST records for drops before sample (u->at). */
static void put_losses(struct unpack *u)
{
    while (u->loss_left != 0 && u->loss_at == u->at && !u->losses.bad) {
        uint8_t *at = record_begin(u, WIRE_LONG_LOST);
        uint8_t counter = cursor_u8(&u->losses);
        uint64_t ticks = cursor_uleb(&u->losses);
        uint64_t missed = cursor_uleb(&u->losses);

        dump_frame_varint(&u->frame, counter);
        dump_frame_varint(&u->frame, ticks);
        dump_frame_varint(&u->frame, missed);
        record_end(u, at);
        if (counter < WIRE_COUNTERS)
            u->counter[counter] += ticks;
        u->counter[WIRE_COUNTER_MISSED] += missed;
        u->left--;
        u->loss_left--;
        if (u->loss_left != 0)
            u->loss_at += (size_t)cursor_uleb(&u->losses);
        if (u->frame.used + SMALL > CELLS_END)
            return;
    }
}

static void put_long(struct unpack *u, uint64_t units, uint32_t id,
                     uint64_t leaf, uint8_t late)
{
    struct dump_frame *f = &u->frame;
    bool extra = late == PACKED_LATE_EXTRA;
    uint64_t late_units = extra       ? cursor_uleb(&u->extras)
                          : late == 0 ? 0
                                      : 3u << (late - 1) >> 1;
    uint64_t weight = extra ? cursor_uleb(&u->extras) : 1;
    uint64_t flags = extra ? cursor_uleb(&u->extras) : 0;
    uint8_t *at = record_begin(u, WIRE_LONG_SAMPLE);

    dump_frame_varint(f, units);
    dump_frame_varint(f, id);
    dump_frame_varint(f, zigzag(leaf - u->text_start));
    dump_frame_varint(f, flags);
    dump_frame_varint(f, late_units);
    dump_frame_varint(f, weight);
    record_end(u, at);
    u->counter[WIRE_COUNTER_MISSED] += weight - 1;
}

/* Lateness of the next sample: bits as in a cell, or PACKED_LATE_EXTRA. */
static uint8_t lateness(const struct unpack *u)
{
    size_t i = u->first + u->at;
    unsigned byte = u->halves ? u->late[i / 2] : u->late[i];

    if (u->halves && i % 2 != 0)
        byte >>= 4;
    return (uint8_t)(byte & 15u);
}

static void put_sample(struct unpack *u, const struct unpack_pair *p)
{
    uint8_t late = lateness(u);
    uint64_t units = u->interval[u->first + u->at];

    if (units == PACKED_EXTRA)
        units = cursor_uleb(&u->extras);
    units <<= u->round;
    u->time += units;
    uint64_t leaf = p->leaf - u->text_start;
    bool is_short = p->stack != 0 && late < PACKED_LATE_EXTRA &&
                    units >> WIRE_CELL_DT_BITS == 0 &&
                    leaf >> WIRE_CELL_LEAF_BITS == 0 &&
                    !(u->stacks[p->stack].mask & PACKED_LOADED);

    u->counter[WIRE_COUNTER_SAMPLES]++;
    u->at++;
    u->left--;
    if (!is_short) {
        put_long(u, units, p->stack != 0 ? p->stack : PACKED_STACKS_MAX + 1,
                 p->leaf, late);
        return;
    }
    store_u64(u->frame.bytes + u->frame.used,
              (uint64_t)p->stack << WIRE_CELL_ID_SHIFT |
                  units << WIRE_CELL_DT_SHIFT | leaf << WIRE_CELL_LEAF_SHIFT |
                  (uint64_t)late << WIRE_CELL_LATE_SHIFT);
    u->frame.used += WIRE_CELL_SIZE;
}

/* Find the pair of the next sample. If there is no such pair, use a pair
 * without a stack. */
static const struct unpack_pair *next_pair(struct unpack *u)
{
    uint64_t i = u->pair[u->first + u->at];

    if (i == PACKED_EXTRA) {
        /* peek: the extra stays until there is room for its stack */
        struct cursor ahead = u->shared != 0 ? u->far : u->extras;

        i = cursor_uleb(&ahead);
    }
    if (i >= u->pair_count) {
        (void)cursor_fail(&u->in);
        i = 0;
    }
    return &u->pairs[i];
}

/* Write a sample, and before it its stack if this is the stack's first use.
 * False if there is no room for them. */
static bool put_next(struct unpack *u)
{
    const struct unpack_pair *p = next_pair(u);
    struct unpack_stack *s = &u->stacks[p->stack];
    bool again = p->stack != 0 && u->begun && s->generation != u->generation;
    bool fresh =
        p->stack != 0 && (again || !u->begun || s->defined != u->epoch);
    size_t needed = fresh || !u->begun ? RECORD_MAX + 2 * SMALL : SMALL;

    if (u->frame.used + needed > CELLS_END)
        return false;
    if (!u->begun || again)
        put_begin(u, p->stack != 0 ? s->generation : 0);
    if (fresh)
        put_stack(u, p->stack);
    if (u->pair[u->first + u->at] == PACKED_EXTRA)
        (void)cursor_uleb(u->shared != 0 ? &u->far : &u->extras);
    put_sample(u, p);
    return true;
}

long unpack_samples_next(struct unpack *u)
{
    struct dump_frame *f = &u->frame;
    uint8_t *body = f->bytes + WIRE_FRAME_HEADER;

    dump_frame_begin(f, WIRE_SAMPLES, u->seq++);
    store_u16(body + WIRE_SAMPLES_CORE, (uint16_t)u->core);
    body[WIRE_SAMPLES_FLAGS] = 0;
    body[WIRE_SAMPLES_SHIFT] = u->shift;
    store_u16(body + WIRE_SAMPLES_PERIOD, u->period);
    store_u16(body + WIRE_SAMPLES_EPOCH, u->epoch);
    store_u64(body + WIRE_SAMPLES_TIME, u->time);
    f->used += WIRE_SAMPLES_HEADER;
    while (u->left != 0 && f->used + SMALL <= CELLS_END && !u->in.bad) {
        put_losses(u);
        if (u->losses.bad || u->extras.bad || u->far.bad ||
            (u->left != 0 && u->at == u->count))
            break;
        if (u->left != 0 && !put_next(u))
            break;
    }
    if (u->losses.bad || u->extras.bad || u->far.bad || u->in.bad ||
        (u->at == u->count && u->left != 0 && u->loss_at != u->at))
        return (long)cursor_fail(&u->in);
    store_u16(body + WIRE_SAMPLES_CELLS,
              (uint16_t)((f->used - WIRE_FRAME_HEADER - WIRE_SAMPLES_HEADER) /
                         WIRE_CELL_SIZE));
    f->bytes[f->used++] = WIRE_COUNTERS;
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        dump_frame_varint(f, u->counter[i]);
    dump_frame_end(f);
    return (long)f->used;
}

static void get_pairs(struct unpack *u)
{
    struct cursor *c = &u->in;
    uint64_t count = cursor_uleb(c), leaf = 0;

    if (count > sizeof u->pairs / sizeof u->pairs[0] || count > cursor_left(c))
        count = cursor_fail(c);
    u->pair_count = (size_t)count;
    for (size_t i = 0; i < count; i++) {
        uint64_t stack = cursor_uleb(c);

        u->pairs[i].stack = stack <= u->stack_count ? (uint32_t)stack
                                                    : (uint32_t)cursor_fail(c);
    }
    for (size_t i = 0; i < count; i++)
        u->pairs[i].leaf = leaf += cursor_zigzag(c);
}

/* Read a part, which begins with its size. */
static struct cursor get_part(struct cursor *c)
{
    uint64_t size = cursor_uleb(c);
    const uint8_t *bytes =
        size <= cursor_left(c) ? cursor_bytes(c, (size_t)size) : NULL;

    if (bytes == NULL)
        (void)cursor_fail(c);
    return cursor_at(bytes, bytes != NULL ? (size_t)size : 0, 0);
}

/* Read core, unit, period, time, and the counters before the samples. */
static bool get_head(struct unpack *u)
{
    struct cursor *c = &u->in;
    const uint8_t *head = cursor_bytes(c, HEAD_SIZE);

    u->left = 0;
    if (head == NULL)
        return false;
    u->core = load_u16(head);
    u->shift = head[2];
    u->period = load_u16(head + 3);
    u->round = head[5];
    u->time = cursor_uleb(c);
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        u->counter[i] = cursor_uleb(c);
    if (u->shift > SHIFT_MAX || u->round > 16)
        (void)cursor_fail(c);
    return !c->bad;
}

/* Begin a run of (count) samples and (losses) LOST records, whose parts were
 * read. */
static void begin(struct unpack *u, uint64_t count, uint64_t losses)
{
    struct cursor *c = &u->in;

    if (losses > cursor_left(&u->losses) ||
        (count != 0 && (u->pair_count == 0 || u->stacks == NULL)))
        (void)cursor_fail(c);
    if (c->bad)
        return;
    u->begun = false;
    u->at = 0;
    u->count = (size_t)count;
    u->loss_left = (size_t)losses;
    u->loss_at = losses != 0 ? (size_t)cursor_uleb(&u->losses) : 0;
    u->left = u->count + u->loss_left;
}

void unpack_samples_begin(struct unpack *u)
{
    struct cursor *c = &u->in;

    if (!get_head(u))
        return;
    get_pairs(u);
    uint64_t count = cursor_uleb(c);

    u->first = u->shared = u->taken = 0;
    u->halves = false;
    u->pair = count <= cursor_left(c) ? cursor_bytes(c, (size_t)count) : NULL;
    u->interval = u->pair != NULL ? cursor_bytes(c, (size_t)count) : NULL;
    u->late = u->interval != NULL ? cursor_bytes(c, (size_t)count) : NULL;
    uint64_t losses = cursor_uleb(c);

    u->losses = get_part(c);
    u->extras = get_part(c);
    u->far = cursor_init(c->at, 0);
    if (u->late == NULL)
        (void)cursor_fail(c);
    begin(u, count, losses);
}

void unpack_columns(struct unpack *u)
{
    struct cursor *c = &u->in;

    get_pairs(u);
    uint64_t count = cursor_uleb(c);
    size_t n = count <= cursor_left(c) ? (size_t)count : (size_t)cursor_fail(c);

    u->pair = cursor_bytes(c, n);
    u->far = get_part(c);
    u->interval = cursor_bytes(c, n);
    u->late = cursor_bytes(c, (n + 1) / 2);
    u->extras = get_part(c);
    u->halves = true;
    u->taken = 0;
    u->shared = c->bad ? 0 : n;
}

void unpack_run_begin(struct unpack *u)
{
    struct cursor *c = &u->in;

    if (!get_head(u))
        return;
    uint64_t count = cursor_uleb(c), losses = cursor_uleb(c);

    u->losses = get_part(c);
    /* do the columns have fewer samples? */
    if (count > u->shared - u->taken)
        (void)cursor_fail(c);
    if (c->bad)
        return;
    u->first = u->taken;
    u->taken += (size_t)count;
    begin(u, count, losses);
}
