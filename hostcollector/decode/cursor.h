/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounded little-endian reader. Its error is sticky: after a read past the end
 * every read gives 0 and (bad) stays set, so check once per record. Leaf.
 */
#ifndef TPROF_DECODE_CURSOR_H
#define TPROF_DECODE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
};

static inline struct cursor cursor_init(const uint8_t *bytes, size_t size)
{
    return (struct cursor){bytes, bytes + size, false};
}

static inline size_t cursor_left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

static inline uint64_t cursor_fail(struct cursor *c)
{
    c->bad = true;
    c->at = c->end;
    return 0;
}

/* The next (size) bytes; NULL if there are not so many. */
static inline const uint8_t *cursor_bytes(struct cursor *c, size_t size)
{
    const uint8_t *p = c->at;

    if (cursor_left(c) < size) {
        cursor_fail(c);
        return NULL;
    }
    c->at += size;
    return p;
}

/* An integer of (size) bytes, 0 to 8. */
static inline uint64_t cursor_uint(struct cursor *c, size_t size)
{
    uint64_t value = 0;
    const uint8_t *p = cursor_bytes(c, size);

    for (size_t i = 0; p && i < size; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

/* LEB128, at most 10 bytes; bits beyond the 64th are an error. */
static inline uint64_t cursor_varint(struct cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        uint8_t byte = *c->at++;

        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return cursor_fail(c);
}

/* A zigzag-coded signed integer, as the unsigned number to add modulo 2^64. */
static inline uint64_t cursor_zigzag(struct cursor *c)
{
    uint64_t value = cursor_varint(c);

    return value >> 1 ^ (0 - (value & 1));
}

#endif
