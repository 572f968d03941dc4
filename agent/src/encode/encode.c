/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes wire frames (WIRE.md). The ring's cells go into them unchanged. */
#include "encode/encode.h"

#include "arch/arch.h"
#include "base/mem.h"

#define VARINT_MAX  10u
/* Bytes that follow the cells in a frame. */
#define SAMPLES_END (1 + WIRE_COUNTERS * VARINT_MAX + WIRE_FRAME_TRAILER)
/* A cell of seven bytes is stored as eight: this is the last cell's eighth
 * byte. */
#define STORE_OVER  1u

void tprof_frame_begin(struct tprof_frame *f, void *data, uint32_t size,
                       enum wire_type type, uint16_t seq)
{
    f->data = data;
    f->size = size;
    f->used = WIRE_FRAME_HEADER;
    f->summed = 0;
    f->crc = TPROF_CRC32C_FIRST;
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

uint32_t tprof_frame_sum(struct tprof_frame *f, const struct tprof_crc32c *crc,
                         uint32_t most)
{
    uint32_t size = f->used - f->summed;

    if (size > most)
        size = most;
    tprof_store16(f->data + WIRE_FRAME_LENGTH,
                  (uint16_t)(f->used - WIRE_FRAME_HEADER));
    f->crc = tprof_crc32c_add(crc, f->crc, f->data + f->summed, size);
    f->summed += size;
    if (f->summed < f->used)
        return 0;
    tprof_store32(f->data + f->used, ~f->crc);
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

uint32_t tprof_encode_cells(struct tprof_reader *r, uint32_t head, uint8_t *out,
                            uint32_t *left, uint32_t most)
{
    const uint64_t *ring = r->ring->words;
    uint32_t mask = r->ring->mask;
    uint32_t end = head + *left;
    uint32_t at = head;

    while (at != end && most > 0) {
        /* short samples, up to a long record or the end */
        uint32_t first = at;
        uint32_t stop = end - at > most ? at + most : end;
        uint64_t word = 0, time = r->time;

        while (at != stop && !((word = ring[at & mask]) & 1)) {
            tprof_store64(out, word);
            out += WIRE_CELL_SIZE;
            time +=
                word >> WIRE_CELL_DT_SHIFT & ((1u << WIRE_CELL_DT_BITS) - 1);
            at++;
        }
        r->time = time;
        r->counter[WIRE_COUNTER_SAMPLES] += at - first;
        most -= at - first;
        if (at == stop)
            continue;
        /* a long record, if it ends before (end) */
        uint32_t count = (uint32_t)(word >> TPROF_RING_COUNT_SHIFT);
        const uint8_t *record = out;

        count += count == 0; /* after a stray write: treat it as the end */
        if (count > end - at) {
            end = at;
            break;
        }
        most -=
            most > count + TPROF_LONG_EXTRA ? count + TPROF_LONG_EXTRA : most;
        for (; count > 0; count--, at++, out += WIRE_CELL_SIZE)
            tprof_store64(out, ring[at & mask]);
        follow_long(r, record);
    }
    *left = end - at;
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

uint32_t tprof_samples_begin(struct tprof_samples *s, struct tprof_reader *r,
                             uint32_t core, uint32_t session)
{
    struct tprof_frame *f = &s->frame;
    uint8_t *body = f->data + f->used;
    uint32_t room =
        (f->size - f->used - WIRE_SAMPLES_HEADER - SAMPLES_END - STORE_OVER) /
        WIRE_CELL_SIZE;
    uint32_t words = words_of(r, session);

    s->reader = r;
    s->cells = 0;
    s->left = words < room ? words : room;
    tprof_store16(body + WIRE_SAMPLES_CORE, (uint16_t)core);
    body[WIRE_SAMPLES_FLAGS] =
        (uint8_t)atomic_load_explicit(&r->flags, memory_order_relaxed);
    body[WIRE_SAMPLES_SHIFT] = (uint8_t)r->shift;
    tprof_store16(body + WIRE_SAMPLES_PERIOD, (uint16_t)r->period);
    tprof_store16(body + WIRE_SAMPLES_EPOCH, (uint16_t)r->epoch);
    tprof_store64(body + WIRE_SAMPLES_TIME, r->time);
    f->used += WIRE_SAMPLES_HEADER;
    return s->left;
}

/* Writes the number of cells, and the counters behind the cells. */
static void end_body(struct tprof_samples *s)
{
    struct tprof_frame *f = &s->frame;
    uint8_t *at = f->data + f->used;

    tprof_store16(f->data + WIRE_FRAME_HEADER + WIRE_SAMPLES_CELLS,
                  (uint16_t)s->cells);
    *at++ = WIRE_COUNTERS;
    for (uint32_t i = 0; i < WIRE_COUNTERS; i++)
        at = tprof_encode_varint(at, s->reader->counter[i]);
    f->used = (uint32_t)(at - f->data);
}

uint32_t tprof_samples_more(struct tprof_samples *s, uint32_t most)
{
    struct tprof_frame *f = &s->frame;
    struct tprof_ring *ring = s->reader->ring;
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint32_t cells =
        tprof_encode_cells(s->reader, head, f->data + f->used, &s->left, most);

    tprof_ring_consume(ring, cells);
    s->cells += cells;
    f->used += cells * WIRE_CELL_SIZE;
    if (s->left == 0)
        end_body(s);
    return cells;
}
