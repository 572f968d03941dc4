/* SPDX-License-Identifier: BSD-2-Clause */
/* A growing buffer of bytes. Leaf. */
#ifndef TPROF_RECORDING_PACKED_PACK_BYTES_H
#define TPROF_RECORDING_PACKED_PACK_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/bytes.h"
#include "util/vec.h"

/* Zeroed: empty. (failed): there was no memory, and bytes are missing. */
struct pack_bytes {
    uint8_t *bytes;
    size_t size, room;
    bool failed;
};

static inline void pack_u8(struct pack_bytes *b, uint8_t value)
{
    if (b->size < b->room || vec_grow(&b->bytes, &b->room, b->size, 1) == 0)
        b->bytes[b->size++] = value;
    else
        b->failed = true;
}

static inline void pack_uint(struct pack_bytes *b, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        pack_u8(b, (uint8_t)(value >> 8 * i));
}

static inline void pack_uleb(struct pack_bytes *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        pack_u8(b, (uint8_t)(value | 0x80));
    pack_u8(b, (uint8_t)value);
}

static inline void pack_zigzag(struct pack_bytes *b, uint64_t difference)
{
    pack_uleb(b, difference << 1 ^ (0 - (difference >> 63)));
}

static inline void pack_copy(struct pack_bytes *b, const uint8_t *bytes,
                             size_t size)
{
    if (size == 0)
        return;
    size_t room = b->room > b->size + size ? b->room : b->size + size;
    uint8_t *moved = room > b->room ? realloc(b->bytes, room) : b->bytes;

    if (moved == NULL) {
        b->failed = true;
        return;
    }
    memcpy(moved + b->size, bytes, size);
    b->bytes = moved;
    b->room = room;
    b->size += size;
}

/* Append (part), and release it. */
static inline void pack_append(struct pack_bytes *b, struct pack_bytes *part)
{
    pack_copy(b, part->bytes, part->size);
    b->failed |= part->failed;
    free(part->bytes);
    *part = (struct pack_bytes){0};
}

#endif
