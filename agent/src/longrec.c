/* SPDX-License-Identifier: BSD-2-Clause */
/* Long records, packed into cells of seven bytes. */
#include "longrec.h"

#define CELLS_MAX 255u /* the count is one byte */

static void flush(struct tprof_long *l)
{
    if (l->cells < l->room)
        *tprof_ring_at(l->ring, l->cells) = l->word;
    l->cells++;
    l->word = 0;
    l->bytes = 0;
}

static void put(struct tprof_long *l, uint8_t byte)
{
    l->word |= (uint64_t)byte << 8 * l->bytes;
    if (++l->bytes == WIRE_CELL_SIZE)
        flush(l);
}

void tprof_long_begin(struct tprof_long *l, struct tprof_ring *ring,
                      enum wire_long type)
{
    uint32_t room = tprof_ring_room(ring);

    *l = (struct tprof_long){.ring = ring,
                             .room = room < CELLS_MAX ? room : CELLS_MAX};
    put(l, (uint8_t)(type << 1 | 1));
    put(l, 0); /* the count, known in the end */
}

void tprof_long_varint(struct tprof_long *l, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put(l, (uint8_t)(value | 0x80));
    put(l, (uint8_t)value);
}

int tprof_long_end(struct tprof_long *l)
{
    if (l->bytes > 0)
        flush(l);
    if (l->cells > l->room)
        return 0;
    for (uint32_t i = 0; i < l->cells; i++) {
        uint64_t *word = tprof_ring_at(l->ring, i);

        *word |= (uint64_t)l->cells << TPROF_RING_COUNT_SHIFT;
        if (i == 0)
            *word |= (uint64_t)l->cells << 8 * WIRE_LONG_CELLS;
    }
    tprof_ring_publish(l->ring, tprof_ring_tail(l->ring) + l->cells);
    return 1;
}

int tprof_long_write(struct tprof_ring *ring, enum wire_long type,
                     const uint64_t *value, uint32_t count)
{
    struct tprof_long l;

    tprof_long_begin(&l, ring, type);
    for (uint32_t i = 0; i < count; i++)
        tprof_long_varint(&l, value[i]);
    return tprof_long_end(&l);
}
