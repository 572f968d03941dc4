/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring of one core in a guest's memory. */
#include "dump/dump_directory.h"

#include "util/bytes.h"

uint64_t dump_ring_word(struct dump_ring *r, uint32_t at)
{
    uint32_t index = at & r->mask;
    uint32_t block_at = index & ~(DUMP_RING_BLOCK - 1);

    if (block_at != r->block_at) {
        uint8_t bytes[sizeof r->block];
        bool good = dump_memory_read(r->memory, &r->view,
                                     r->words + block_at * (uint64_t)8, bytes,
                                     sizeof bytes);

        r->unread |= !good;
        for (uint32_t i = 0; i < DUMP_RING_BLOCK; i++)
            r->block[i] = good ? load_u64(bytes + i * (size_t)8) : 0;
        r->block_at = block_at;
    }
    return r->block[index - block_at];
}

/* The number of words, as the word at (at) states it. */
static uint32_t count_at(struct dump_ring *r, uint32_t at)
{
    return (uint32_t)(dump_ring_word(r, at) >> DUMP_WORD_COUNT);
}

/* The number of words of the record that ends before (end), at most (room); 0
 * if there is no whole record. All words of a record state its length. They
 * differ if the oldest record was overwritten in part, or by a record that was
 * not finished. */
static uint32_t record_before(struct dump_ring *r, uint32_t end, uint32_t room)
{
    uint32_t count = count_at(r, end - 1);
    uint64_t first;

    if (count == 0 || count > room)
        return 0;
    for (uint32_t i = 2; i <= count; i++)
        if (count_at(r, end - i) != count)
            return 0;
    first = dump_ring_word(r, end - count);
    if (first & 1)
        return (first >> 8 * WIRE_LONG_CELLS & 0xff) == count ? count : 0;
    return count == 1 ? count : 0;
}

uint32_t dump_ring_count(struct dump_ring *r, uint32_t at)
{
    uint32_t count = count_at(r, at);

    if (count != 0 && count <= r->tail - at)
        return count;
    r->tail = at;
    return 0;
}

void dump_ring_init(struct dump_ring *r, const struct dump_directory *d,
                    uint32_t core, uint32_t tail)
{
    uint32_t room = d->ring_words, count;

    *r = (struct dump_ring){.memory = d->memory,
                            .view = d->view,
                            .words = d->core[core].words,
                            .mask = d->ring_words - 1,
                            .start = tail,
                            .tail = tail,
                            .block_at = UINT32_MAX};
    while (room > 0 && (count = record_before(r, r->start, room)) > 0) {
        r->start -= count;
        room -= count;
    }
}
