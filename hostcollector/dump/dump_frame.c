/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes one frame as an agent does: WIRE.md 2. */
#include "dump/dump_frame.h"

#include <assert.h>
#include <string.h>

#include "util/bytes.h"
#include "util/crc.h"

void dump_frame_begin(struct dump_frame *f, enum wire_type type, uint16_t seq)
{
    store_u16(f->bytes + WIRE_FRAME_MAGIC, WIRE_MAGIC);
    f->bytes[WIRE_FRAME_TYPE] = (uint8_t)type;
    f->bytes[WIRE_FRAME_FLAGS] = 0;
    store_u16(f->bytes + WIRE_FRAME_SEQ, seq);
    f->used = WIRE_FRAME_HEADER;
}

void dump_frame_bytes(struct dump_frame *f, unsigned tag, const void *value,
                      size_t size)
{
    uint8_t *at = f->bytes + f->used;

    assert(size <= UINT8_MAX && f->used + WIRE_FIELD_HEADER + size <=
                                    WIRE_FRAME_MAX - WIRE_FRAME_TRAILER);
    at[0] = (uint8_t)tag;
    at[1] = (uint8_t)size;
    memcpy(at + WIRE_FIELD_HEADER, value, size);
    f->used += WIRE_FIELD_HEADER + size;
}

void dump_frame_field(struct dump_frame *f, unsigned tag, uint64_t value)
{
    uint8_t bytes[8];
    size_t size = 1;

    store_u64(bytes, value);
    while (size < sizeof bytes && value >> 8 * size != 0)
        size++;
    dump_frame_bytes(f, tag, bytes, size);
}

void dump_frame_varint(struct dump_frame *f, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        f->bytes[f->used++] = (uint8_t)(value | 0x80);
    f->bytes[f->used++] = (uint8_t)value;
}

void dump_frame_end(struct dump_frame *f)
{
    store_u16(f->bytes + WIRE_FRAME_LENGTH,
              (uint16_t)(f->used - WIRE_FRAME_HEADER));
    store_u32(f->bytes + f->used, crc32c(f->bytes, f->used));
    f->used += WIRE_FRAME_TRAILER;
}
