/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes wire frames (WIRE.md). The ring's cells go into them unchanged. */
#include "encode/encode.h"

#include "arch/arch.h"
#include "base/mem.h"

#define VARINT_MAX  10u
/* Bytes that follow the cells in a frame. */
#define SAMPLES_END (1 + WIRE_COUNTERS * VARINT_MAX + WIRE_FRAME_TRAILER)
/* Cells by which a long record counts in addition to its own cells. So a frame
 * with long records has fewer cells, and takes no longer to read than a frame
 * of short samples. */
#define LONG_EXTRA  4u
/* A cell of seven bytes is stored as eight: this is the last cell's eighth
 * byte. */
#define STORE_OVER  1u

void tprof_frame_begin(struct tprof_frame *f, void *data, uint32_t size,
                       enum wire_type type, uint16_t seq)
{
    f->data = data;
    f->size = size;
    f->used = WIRE_FRAME_HEADER;
    tprof_store16(f->data + WIRE_FRAME_MAGIC, WIRE_MAGIC);
    f->data[WIRE_FRAME_TYPE] = (uint8_t)type;
    f->data[WIRE_FRAME_FLAGS] = 0;
    tprof_store16(f->data + WIRE_FRAME_SEQ, seq);
}

void tprof_frame_bytes(struct tprof_frame *f, uint32_t tag, const void *value,
                       uint32_t size)
{
    uint8_t *at = f->data + f->used;

    if (size > UINT8_MAX ||
        f->used + WIRE_FIELD_HEADER + size + WIRE_FRAME_TRAILER > f->size)
        return;
    at[0] = (uint8_t)tag;
    at[1] = (uint8_t)size;
    tprof_arch_copy(at + WIRE_FIELD_HEADER, value, size);
    f->used += WIRE_FIELD_HEADER + size;
}

void tprof_frame_field(struct tprof_frame *f, uint32_t tag, uint64_t value)
{
    uint32_t size = 1;

    while (size < 8 && value >> 8 * size)
        size++;
    tprof_frame_bytes(f, tag, &value, size);
}

uint32_t tprof_frame_end(struct tprof_frame *f, const struct tprof_crc32c *crc)
{
    tprof_store16(f->data + WIRE_FRAME_LENGTH,
                  (uint16_t)(f->used - WIRE_FRAME_HEADER));
    tprof_store32(f->data + f->used, tprof_crc32c_sum(crc, f->data, f->used));
    f->used += WIRE_FRAME_TRAILER;
    return f->used;
}

uint8_t *tprof_encode_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static uint64_t get_varint(const uint8_t **at)
{
    uint64_t value = 0;
    uint32_t bit = 0;
    uint8_t byte;

    do {
        byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << bit;
        bit += 7;
    } while (byte >= 0x80 && bit < 64);
    return value;
}

/* Follows the long record at (at). The agent has written it, so it is
 * well-formed. */
TPROF_COLD void follow_long(struct tprof_reader *r, const uint8_t *at)
{
    uint32_t type = at[WIRE_LONG_TYPE] >> 1;

    at += WIRE_LONG_HEADER;
    if (type == WIRE_LONG_STACK)
        return;
    if (type == WIRE_LONG_STACK_AT) {
        r->flags = WIRE_SAMPLES_IMAGES; /* of later frames */
        return;
    }
    uint64_t first = get_varint(&at);

    if (type == WIRE_LONG_SAMPLE) {
        r->time += first;
        for (int skip = 0; skip < 4; skip++) /* id, leaf, flags, lateness */
            get_varint(&at);
        r->counter[WIRE_COUNTER_SAMPLES]++;
        r->counter[WIRE_COUNTER_MISSED] += get_varint(&at) - 1;
    } else if (type == WIRE_LONG_BEGIN) {
        r->shift = (uint32_t)get_varint(&at);
        r->period = (uint32_t)get_varint(&at);
        r->epoch = (uint32_t)get_varint(&at);
        r->time = first >> r->shift;
    } else if (type == WIRE_LONG_LOST) {
        r->counter[first & (WIRE_COUNTERS - 1)] += get_varint(&at);
        r->counter[WIRE_COUNTER_MISSED] += get_varint(&at);
    }
}
_Static_assert((WIRE_COUNTERS & (WIRE_COUNTERS - 1)) == 0, "used as a mask");

/* Reads records up to (end). A long record takes LONG_EXTRA cells of the room
 * in addition to its own, because it takes time to follow. These cells come
 * from (spare) first. Then (end) moves nearer. */
uint32_t tprof_encode_cells(struct tprof_reader *r, uint32_t head, uint8_t *out,
                            uint32_t words, uint32_t spare)
{
    const uint64_t *ring = r->ring->words;
    uint32_t mask = r->ring->mask;
    uint32_t end = head + words;
    uint32_t at = head;

    for (;;) {
        /* short samples, up to a long record or the end */
        uint32_t first = at;
        uint64_t word = 0;

        while (at != end && !((word = ring[at & mask]) & 1)) {
            tprof_store64(out, word);
            out += WIRE_CELL_SIZE;
            r->time +=
                word >> WIRE_CELL_DT_SHIFT & ((1u << WIRE_CELL_DT_BITS) - 1);
            at++;
        }
        r->counter[WIRE_COUNTER_SAMPLES] += at - first;
        if (at == end)
            break;
        /* a long record, if it ends before (end) */
        uint32_t count = (uint32_t)(word >> TPROF_RING_COUNT_SHIFT);
        const uint8_t *record = out;

        count += count == 0; /* after a stray write: treat it as the end */
        if (count > end - at)
            break;
        for (; count > 0; count--, at++, out += WIRE_CELL_SIZE)
            tprof_store64(out, ring[at & mask]);
        follow_long(r, record);
        /* takes LONG_EXTRA cells from (spare), and the rest from (end) */
        if (spare >= LONG_EXTRA) {
            spare -= LONG_EXTRA;
            continue;
        }
        end -= LONG_EXTRA - spare;
        spare = 0;
        if ((int32_t)(end - at) < 0)
            end = at;
    }
    return at - head;
}

/* Returns the number of words that (r) has of (session). Words of earlier
 * sessions are void. */
static uint32_t words_of(struct tprof_reader *r, uint32_t session)
{
    /* read before tprof_has_begun(): if the session has not begun yet, all of
     * these words are old */
    uint32_t words = tprof_ring_used(r->ring);
    uint32_t old = words;

    if (tprof_has_begun(r, session)) {
        if (r->session == session)
            return words;
        r->session = session;
        old = r->beginning.at.tail -
              atomic_load_explicit(&r->ring->head, memory_order_relaxed);
        tprof_arch_copy(r->counter, r->beginning.at.counter, sizeof r->counter);
    }
    tprof_ring_consume(r->ring, old);
    return words - old;
}

uint32_t tprof_encode_samples(struct tprof_frame *f, struct tprof_reader *r,
                              uint32_t core, uint32_t session)
{
    uint8_t *body = f->data + f->used;
    uint32_t room =
        (f->size - f->used - WIRE_SAMPLES_HEADER - SAMPLES_END - STORE_OVER) /
        WIRE_CELL_SIZE;
    uint32_t words = words_of(r, session);

    if (words > room)
        words = room;

    tprof_store16(body + WIRE_SAMPLES_CORE, (uint16_t)core);
    body[WIRE_SAMPLES_FLAGS] =
        (uint8_t)atomic_load_explicit(&r->flags, memory_order_relaxed);
    body[WIRE_SAMPLES_SHIFT] = (uint8_t)r->shift;
    tprof_store16(body + WIRE_SAMPLES_PERIOD, (uint16_t)r->period);
    tprof_store16(body + WIRE_SAMPLES_EPOCH, (uint16_t)r->epoch);
    tprof_store64(body + WIRE_SAMPLES_TIME, r->time);

    uint8_t *at = body + WIRE_SAMPLES_HEADER;
    uint32_t head = atomic_load_explicit(&r->ring->head, memory_order_relaxed);
    uint32_t cells = tprof_encode_cells(r, head, at, words, room - words);

    tprof_ring_consume(r->ring, cells);
    tprof_store16(body + WIRE_SAMPLES_CELLS, (uint16_t)cells);
    at += cells * WIRE_CELL_SIZE;
    *at++ = WIRE_COUNTERS;
    for (uint32_t i = 0; i < WIRE_COUNTERS; i++)
        at = tprof_encode_varint(at, r->counter[i]);
    f->used = (uint32_t)(at - f->data);
    return cells;
}
