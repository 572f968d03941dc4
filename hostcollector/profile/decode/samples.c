/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of a SAMPLES frame. */
#include "profile/decode/samples.h"

#include <stdbool.h>

#include "profile/decode/request_frames.h"
#include "profile/decode/thread_frames.h"
#include "util/bytes.h"
#include "util/cursor.h"

#define SHIFT_MAX 40u /* a unit of 18 minutes at 1 GHz: senseless */
#define FIELD(v, what)                                                         \
    ((v) >> WIRE_CELL_##what##_SHIFT & ((1ull << WIRE_CELL_##what##_BITS) - 1))

/* State while a SAMPLES body is decoded. */
struct reading {
    struct samples_decoder *d;
    struct core *core;
    uint8_t shift;
    uint16_t period;
    uint64_t time; /* of the last record, in units */
    size_t count;  /* samples in d->batch */
    bool has_long; /* the batch has a long sample */
    uint64_t unknown_stack;
    struct core_content content;
    /* LOST records wait for the time of the next record. */
    struct loss pending[WIRE_DROP_REASONS];
};

static uint64_t tsc_now(const struct reading *r)
{
    return r->time << r->shift;
}

/*
 * Pass on the samples gathered so far, since shift and period change or the
 * body ends. Returns a text that says what is wrong, or NULL. Without a period
 * samples stand for no time, and are lost.
 */
static const char *flush(struct reading *r)
{
    const char *wrong = NULL;
    struct sample_batch batch = {.core = r->core->number,
                                 .shift = r->shift,
                                 .period = r->period,
                                 .samples = r->d->batch,
                                 .count = r->count,
                                 .is_short = !r->has_long};

    if (r->count > 0 && r->period == 0) {
        r->content.counters[WIRE_COUNTER_SAMPLES] -= r->count;
        wrong = "samples of a period of 0";
    } else if (r->count > 0) {
        r->d->events->samples(r->d->sums, &batch);
    }
    r->count = 0;
    r->has_long = false;
    return wrong;
}

static void tell_loss(struct reading *r, enum loss_reason reason,
                      uint64_t from_tsc, uint64_t ticks, uint64_t missed)
{
    struct loss loss = {.core = r->core->number,
                        .reason = reason,
                        .from_tsc = from_tsc,
                        .to_tsc = tsc_now(r),
                        .ticks = ticks,
                        .missed = missed};

    if (ticks > 0 || missed > 0)
        r->d->events->loss(r->d->sums, &loss);
}

/* Report the losses of LOST records, now that the time of their end is
 * known. */
static void tell_pending(struct reading *r)
{
    for (size_t i = 0; i < WIRE_DROP_REASONS; i++) {
        struct loss *p = &r->pending[i];

        tell_loss(r, p->reason, p->from_tsc, p->ticks, p->missed);
        p->ticks = p->missed = 0;
    }
}

static bool any_pending(const struct reading *r)
{
    return (r->pending[0].ticks | r->pending[0].missed | r->pending[1].ticks |
            r->pending[1].missed) != 0;
}

/* The slot of stack (id); NULL if it is unknown, which is counted. */
static const struct core_slot *find_stack(struct reading *r, uint64_t id)
{
    if (id < CORE_DICT_SLOTS) {
        const struct core_slot *slot = &r->core->dict[id];

        if (slot->generation == r->core->generation)
            return slot;
    }
    r->unknown_stack++;
    return NULL;
}

static uint32_t at_most_u32(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static const char *long_sample(struct reading *r, struct cursor *c)
{
    r->time += cursor_uleb(c);
    uint64_t id = cursor_uleb(c);
    uint64_t leaf = r->core->bases[0] + cursor_zigzag(c);
    uint64_t flags = cursor_uleb(c);
    uint64_t late = cursor_uleb(c);
    uint64_t weight = cursor_uleb(c);

    if (c->bad)
        return "a long sample is cut";
    if (weight == 0)
        return "a sample of weight 0";
    const struct core_slot *slot = find_stack(r, id);

    r->has_long = true;
    r->d->batch[r->count++] =
        (struct sample){.tsc = tsc_now(r),
                        .leaf = leaf,
                        .stack = slot ? slot->stack : STACK_UNKNOWN,
                        .late = at_most_u32(late),
                        .weight = at_most_u32(weight),
                        .flags = (uint32_t)flags};
    if ((r->core->thread | r->core->request) != 0)
        thread_frames_of_samples(r->d, r->core, &r->d->batch[r->count - 1], 1);
    r->content.counters[WIRE_COUNTER_SAMPLES]++;
    r->content.counters[WIRE_COUNTER_MISSED] += weight - 1;
    r->core->account.jumps += flags & WIRE_SAMPLE_JUMP;
    return NULL;
}

static void set_epoch(struct core *c, uint16_t epoch, uint32_t images)
{
    core_forget_stacks(c);
    c->images_generation = images;
    c->base_count = 0;
    c->epoch = epoch;
    c->has_epoch = true;
}

/* Drop LOST records before a core's first BEGIN in a session: they are of an
 * earlier session. */
static void forget_losses(struct reading *r)
{
    r->content = (struct core_content){0};
    for (size_t i = 0; i < WIRE_DROP_REASONS; i++)
        r->pending[i].ticks = r->pending[i].missed = 0;
}

static const char *begin_record(struct reading *r, struct cursor *c)
{
    uint64_t tsc = cursor_uleb(c);
    uint64_t shift = cursor_uleb(c);
    uint64_t period = cursor_uleb(c);
    uint64_t epoch = cursor_uleb(c);

    if (c->bad)
        return "a BEGIN record is cut";
    if (shift > SHIFT_MAX || period > UINT16_MAX || epoch > UINT16_MAX)
        return "a BEGIN record that is out of range";
    uint64_t images = cursor_uleb(c); /* 0 in version 2.0 */

    const char *wrong = flush(r);

    if (!r->core->has_counters && r->d->old_losses &&
        r->content.counters[WIRE_COUNTER_SAMPLES] == 0)
        forget_losses(r);
    r->shift = (uint8_t)shift;
    r->period = (uint16_t)period;
    r->time = tsc >> shift;
    set_epoch(r->core, (uint16_t)epoch, at_most_u32(images));
    return wrong;
}

static const char *lost_record(struct reading *r, struct cursor *c)
{
    uint64_t counter = cursor_uleb(c);
    uint64_t ticks = cursor_uleb(c);
    uint64_t missed = cursor_uleb(c);

    if (c->bad)
        return "a LOST record is cut";
    if (counter < WIRE_COUNTER_RING_FULL || counter >= WIRE_COUNTERS)
        return NULL; /* a reason of a later minor version */
    struct loss *p = &r->pending[counter - WIRE_COUNTER_RING_FULL];

    if (p->ticks == 0)
        p->from_tsc = tsc_now(r);
    p->ticks += ticks;
    p->missed += missed;
    r->content.counters[counter] += ticks;
    r->content.counters[WIRE_COUNTER_MISSED] += missed;
    return NULL;
}

/* Decode the long record at (*cell), and advance (*cell) to the next record. */
static const char *long_record(struct reading *r, const uint8_t **cell,
                               const uint8_t *end)
{
    size_t size = (size_t)(*cell)[WIRE_LONG_CELLS] * WIRE_CELL_SIZE;
    unsigned type = (*cell)[WIRE_LONG_TYPE] >> 1;

    if (size == 0 || size > (size_t)(end - *cell))
        return "a record reaches beyond the frame";
    struct cursor c =
        cursor_init(*cell + WIRE_LONG_HEADER, size - WIRE_LONG_HEADER);

    *cell += size;
    switch (type) {
    case WIRE_LONG_SAMPLE: {
        const char *wrong = long_sample(r, &c);

        tell_pending(r);
        return wrong;
    }
    case WIRE_LONG_STACK:
        return stack_record(r->d, r->core, &c);
    case WIRE_LONG_STACK_AT:
        return stack_at_record(r->d, r->core, &c);
    case WIRE_LONG_BEGIN:
        return begin_record(r, &c);
    case WIRE_LONG_LOST:
        return lost_record(r, &c);
    case WIRE_LONG_THREAD:
        return thread_frames_record(r->d, r->core, &c);
    case WIRE_LONG_REQUEST:
        return request_frames_record(r->d, r->core, &c);
    default:
        r->d->unknown_records++;
        return NULL;
    }
}

/* Lateness by its length in bits. A table is faster than a shift for each
 * sample. */
static const uint32_t late_units[1u << WIRE_CELL_LATE_BITS] = {
    SHORT_LATE(0),  SHORT_LATE(1),  SHORT_LATE(2),  SHORT_LATE(3),
    SHORT_LATE(4),  SHORT_LATE(5),  SHORT_LATE(6),  SHORT_LATE(7),
    SHORT_LATE(8),  SHORT_LATE(9),  SHORT_LATE(10), SHORT_LATE(11),
    SHORT_LATE(12), SHORT_LATE(13), SHORT_LATE(14), SHORT_LATE(15)};

/*
 * Decode the short samples from (cell) on, up to (end) or a long record.
 * Nearly all records are short samples, so this loop must be fast. Returns the
 * first cell after them.
 *
 * The address of a short sample is the base of its stack plus some bytes. If
 * the stack is unknown, the base is the start of text. But if the guest has
 * loaded images, the address of such a sample is unknown.
 */
static const uint8_t *short_samples(struct reading *r, const uint8_t *cell,
                                    const uint8_t *end)
{
    /* local copies, since the compiler must assume that a sample overwrites
     * them */
    const struct core *core = r->core;
    const uint16_t generation = core->generation;
    const uint64_t text = core->bases[0];
    const bool images = core->images;
    const uint8_t shift = r->shift;
    struct sample *first = r->d->batch + r->count, *out = first;
    uint64_t time = r->time, unknown = 0;

    for (; cell < end && (*cell & 1) == 0; cell += WIRE_CELL_SIZE, out++) {
        uint64_t v = load_u64(cell); /* bytes after a cell are readable */
        const struct core_slot *slot = &core->dict[FIELD(v, ID)];

        time += FIELD(v, DT);
        out->tsc = time << shift;
        out->late = late_units[FIELD(v, LATE)];
        out->weight = 1;
        out->flags = 0;
        if (slot->generation == generation) {
            out->leaf = core->bases[slot->base] + FIELD(v, LEAF);
            out->stack = slot->stack;
        } else {
            out->leaf = images ? LEAF_UNKNOWN : text + FIELD(v, LEAF);
            out->stack = STACK_UNKNOWN;
            unknown++;
        }
    }
    r->time = time;
    if ((core->thread | core->request) != 0)
        thread_frames_of_samples(r->d, core, first, (size_t)(out - first));
    r->count += (size_t)(out - first);
    r->unknown_stack += unknown;
    r->content.counters[WIRE_COUNTER_SAMPLES] += (uint64_t)(out - first);
    return cell;
}

static const char *decode_cells(struct reading *r, const uint8_t *cell,
                                const uint8_t *end)
{
    while (cell < end) {
        if (*cell & 1) {
            const char *wrong = long_record(r, &cell, end);

            if (wrong)
                return wrong;
            continue;
        }
        /* a loss without an end takes the time of the next sample */
        cell = short_samples(r, cell,
                             any_pending(r) ? cell + WIRE_CELL_SIZE : end);
        tell_pending(r);
    }
    return NULL;
}

/* Read the counters at the frame's end; false if some are missing. */
static bool read_counters(struct cursor *c, uint64_t now[WIRE_COUNTERS])
{
    size_t count = (size_t)cursor_uint(c, 1);

    if (count < WIRE_COUNTERS)
        return false;
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        now[i] = cursor_uleb(c);
    return !c->bad; /* further counters are of a later minor version */
}

static void settle_account(struct reading *r, uint64_t from_tsc,
                           const uint64_t now[WIRE_COUNTERS])
{
    struct core_content lost;

    core_settle(r->core, now, &r->content, &lost);
    tell_loss(r, LOSS_TRANSPORT, from_tsc, lost.counters[WIRE_COUNTER_SAMPLES],
              0);
    tell_loss(r, LOSS_RING_FULL, from_tsc,
              lost.counters[WIRE_COUNTER_RING_FULL], 0);
    tell_loss(r, LOSS_REENTERED, from_tsc,
              lost.counters[WIRE_COUNTER_REENTERED], 0);
    r->d->events->account(r->d->sums, r->core->number, &r->core->account);
}

/* Refuse the whole body because of (why). */
static const char *refuse_rest(struct core *c, const char *why)
{
    core_gap(c);
    return why;
}

uint32_t samples_core(const uint8_t *body, size_t length)
{
    return length < WIRE_SAMPLES_HEADER ? UINT32_MAX
                                        : load_u16(body + WIRE_SAMPLES_CORE);
}

const char *samples_decode(struct samples_decoder *d, struct core *c,
                           const uint8_t *body, size_t length)
{
    struct cursor cursor = cursor_init(body, length);
    const uint8_t *header = cursor_bytes(&cursor, WIRE_SAMPLES_HEADER);

    if (!header || header[WIRE_SAMPLES_SHIFT] > SHIFT_MAX)
        return refuse_rest(c, "SAMPLES without a sensible header");
    size_t size =
        (size_t)load_u16(header + WIRE_SAMPLES_CELLS) * WIRE_CELL_SIZE;
    const uint8_t *cells = cursor_bytes(&cursor, size);
    uint64_t now[WIRE_COUNTERS];

    if (!cells || !read_counters(&cursor, now))
        return refuse_rest(c, "SAMPLES shorter than its header states");
    struct reading r = {
        .d = d,
        .core = c,
        .shift = header[WIRE_SAMPLES_SHIFT],
        .period = load_u16(header + WIRE_SAMPLES_PERIOD),
        .time = load_u64(header + WIRE_SAMPLES_TIME),
        .pending = {{.reason = LOSS_RING_FULL}, {.reason = LOSS_REENTERED}}};
    uint16_t epoch = load_u16(header + WIRE_SAMPLES_EPOCH);
    uint64_t from_tsc = c->tsc != 0 ? c->tsc : tsc_now(&r);

    c->account.complete = false;
    c->bases[0] = d->text_start;
    c->images |= header[WIRE_SAMPLES_FLAGS] & WIRE_SAMPLES_IMAGES;
    if (!c->has_epoch || c->epoch != epoch)
        set_epoch(c, epoch, GENERATION_NONE); /* its BEGIN was lost */
    const char *wrong = decode_cells(&r, cells, cells + size);
    const char *timeless = flush(&r);

    if (wrong == NULL)
        wrong = timeless;
    tell_pending(&r);
    c->account.unknown_stack += r.unknown_stack;
    c->tsc = tsc_now(&r);
    if (wrong)
        core_gap(c);
    settle_account(&r, from_tsc, now);
    return wrong;
}
