/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes long records into a ring, cell by cell. */
#include "sample/longrec.h"

#define CELLS_MAX 255u /* the count is one byte */

static void flush_cell(struct tprof_long *l)
{
    if (l->cells < l->room)
        *tprof_ring_at(l->ring, l->cells) = l->word;
    l->cells++;
    l->word = 0;
    l->bits = 0;
}

void tprof_long_begin(struct tprof_long *l, struct tprof_ring *ring,
                      enum wire_long type)
{
    uint32_t room = tprof_ring_room(ring);

    l->ring = ring;
    l->room = room < CELLS_MAX ? room : CELLS_MAX;
    l->cells = 0;
    l->word = type << 1 | 1; /* the byte of the count is filled in at the end */
    l->bits = 8 * WIRE_LONG_HEADER;
}

void tprof_long_varint(struct tprof_long *l, uint64_t value)
{
    uint64_t more;

    do {
        more = value >> 7;
        l->word |= (value | (more ? 0x80 : 0)) % 256 << l->bits;
        l->bits += 8;
        if (l->bits == 8 * WIRE_CELL_SIZE)
            flush_cell(l);
        value = more;
    } while (more);
}

int tprof_long_end(struct tprof_long *l)
{
    if (l->bits > 0)
        flush_cell(l);
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
