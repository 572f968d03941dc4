/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads little-endian values from bytes that may be malformed. The error is
 * sticky: a read past the end returns 0, moves to the end and sets (bad). Loops
 * therefore end by themselves, and a caller checks (bad) once a record. Leaf.
 *
 * LEB128 numbers have at most 10 bytes and 64 bits, signed or not. A longer
 * number is an error, both on the wire (WIRE.md 1) and in DWARF, because
 * writers never need it, and without its upper bits it would be silently
 * wrong.
 */
#ifndef TPROF_UTIL_CURSOR_H
#define TPROF_UTIL_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/bytes.h"

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
};

static inline struct cursor cursor_init(const uint8_t *bytes, size_t size)
{
    return (struct cursor){bytes, bytes + size, false};
}

/* Returns a cursor over the (size) bytes at (offset) in (section); a bad cursor
 * if a part of them is outside. */
static inline struct cursor cursor_at(const uint8_t *section, size_t size,
                                      uint64_t offset)
{
    static const uint8_t nothing[1];

    if (section == NULL || offset > size)
        return (struct cursor){nothing, nothing, true};
    return (struct cursor){section + offset, section + size, false};
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

static inline void cursor_skip(struct cursor *c, uint64_t size)
{
    if (size > cursor_left(c))
        cursor_fail(c);
    else
        c->at += size;
}

/* The next (size) bytes; NULL if there are fewer. */
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

    if (p != NULL && size == 4)
        return load_u32(p);
    if (p != NULL && size == 8)
        return load_u64(p);
    for (size_t i = 0; p != NULL && i < size; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

/* A signed integer of (size) bytes, 1 to 8. */
static inline int64_t cursor_int(struct cursor *c, size_t size)
{
    uint64_t sign = (uint64_t)1 << ((8 * size - 1) & 63);

    return (int64_t)((cursor_uint(c, size) ^ sign) - sign);
}

static inline uint8_t cursor_u8(struct cursor *c)
{
    if (c->at >= c->end)
        return (uint8_t)cursor_fail(c);
    return *c->at++;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
    return (uint16_t)cursor_uint(c, 2);
}

static inline uint32_t cursor_u32(struct cursor *c)
{
    return (uint32_t)cursor_uint(c, 4);
}

/* Unsigned LEB128. */
static inline uint64_t cursor_uleb(struct cursor *c)
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

/* Signed LEB128. */
static inline int64_t cursor_sleb(struct cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        uint8_t byte = *c->at++;

        /* the 10th byte holds one bit and six copies of the sign */
        if (shift == 63 && byte != 0 && byte != 0x7f)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte >= 0x80)
            continue;
        if (shift < 57 && (byte & 0x40) != 0)
            value |= UINT64_MAX << (shift + 7);
        return (int64_t)value;
    }
    return (int64_t)cursor_fail(c);
}

/* A zigzag-coded signed integer, returned as the unsigned number to add modulo
 * 2^64. */
static inline uint64_t cursor_zigzag(struct cursor *c)
{
    uint64_t value = cursor_uleb(c);

    return value >> 1 ^ (0 - (value & 1));
}

/* A NUL-terminated string; NULL if there is no NUL. */
static inline const char *cursor_string(struct cursor *c)
{
    const char *s = (const char *)c->at;
    const uint8_t *nul = memchr(c->at, '\0', cursor_left(c));

    if (nul == NULL) {
        cursor_fail(c);
        return NULL;
    }
    c->at = nul + 1;
    return s;
}

#endif
