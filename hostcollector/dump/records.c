/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows records: WIRE.md 5. */
#include "dump/records.h"

#include "util/bytes.h"
#include "util/cursor.h"

/* The varints of a record that is followed lie in so many cells. */
#define CELLS_FOLLOWED 10u

unsigned dump_records_type(struct dump_ring *ring, uint32_t at)
{
    uint64_t word = dump_ring_word(ring, at);

    return word & 1 ? (unsigned)(word >> 1 & 0x7f) : 0;
}

static void follow_begin(struct dump_records *r, struct cursor *c)
{
    uint64_t tsc = cursor_uleb(c);

    r->shift = (uint8_t)(cursor_uleb(c) & 63);
    r->period = (uint16_t)cursor_uleb(c);
    r->epoch = (uint16_t)cursor_uleb(c);
    r->time = tsc >> r->shift;
    r->began = true;
}

static void follow_sample(struct dump_records *r, struct cursor *c)
{
    r->time += cursor_uleb(c);
    for (int skip = 0; skip < 4; skip++) /* id, leaf, flags, lateness */
        (void)cursor_uleb(c);
    r->counter[WIRE_COUNTER_SAMPLES]++;
    r->counter[WIRE_COUNTER_MISSED] += cursor_uleb(c) - 1;
}

static void follow_lost(struct dump_records *r, struct cursor *c)
{
    uint64_t counter = cursor_uleb(c);
    uint64_t ticks = cursor_uleb(c);

    if (counter < WIRE_COUNTER_RING_FULL || counter >= WIRE_COUNTERS)
        return;
    r->counter[counter] += ticks;
    r->counter[WIRE_COUNTER_MISSED] += cursor_uleb(c);
}

uint32_t dump_records_follow(struct dump_records *r, struct dump_ring *ring,
                             uint32_t at)
{
    uint8_t bytes[CELLS_FOLLOWED * WIRE_CELL_SIZE + 1];
    uint32_t count = dump_ring_count(ring, at);
    uint32_t cells = count < CELLS_FOLLOWED ? count : CELLS_FOLLOWED;
    uint64_t word = dump_ring_word(ring, at);

    if (count == 0)
        return 0;
    if (!(word & 1)) {
        r->time += word >> WIRE_CELL_DT_SHIFT & ((1u << WIRE_CELL_DT_BITS) - 1);
        r->counter[WIRE_COUNTER_SAMPLES]++;
        return count;
    }
    for (uint32_t i = 0; i < cells; i++) /* one byte over, which is written */
        store_u64(bytes + (size_t)i * WIRE_CELL_SIZE,
                  dump_ring_word(ring, at + i));

    struct cursor c =
        cursor_init(bytes + WIRE_LONG_HEADER,
                    cells * (size_t)WIRE_CELL_SIZE - WIRE_LONG_HEADER);

    switch (dump_records_type(ring, at)) {
    case WIRE_LONG_SAMPLE:
        follow_sample(r, &c);
        break;
    case WIRE_LONG_BEGIN:
        follow_begin(r, &c);
        break;
    case WIRE_LONG_LOST:
        follow_lost(r, &c);
        break;
    default: /* tells neither time nor counters */
        break;
    }
    return count;
}
