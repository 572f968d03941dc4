/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounded little-endian reader of DWARF's encodings. Its error is sticky: a
 * read past the end gives 0, moves to the end and sets (bad), so that loops
 * come to an end by themselves and need to look at (bad) only once.
 */
#ifndef TPROF_DWARF_CURSOR_H
#define TPROF_DWARF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const uint8_t *at, *end;
    bool bad;
};

/* A cursor over the part of (section, size) from (offset) on. */
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

static inline void cursor_fail(struct cursor *c)
{
    c->at = c->end;
    c->bad = true;
}

static inline void cursor_skip(struct cursor *c, uint64_t n)
{
    if (n > cursor_left(c))
        cursor_fail(c);
    else
        c->at += n;
}

/* An unsigned integer of (size) 1 to 8 bytes. */
static inline uint64_t cursor_uint(struct cursor *c, unsigned size)
{
    uint64_t v = 0;

    if (size > cursor_left(c)) {
        cursor_fail(c);
        return 0;
    }
    for (unsigned i = 0; i < size; i++)
        v |= (uint64_t)c->at[i] << (8 * i);
    c->at += size;
    return v;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
    return (uint8_t)cursor_uint(c, 1);
}

static inline uint16_t cursor_u16(struct cursor *c)
{
    return (uint16_t)cursor_uint(c, 2);
}

static inline uint32_t cursor_u32(struct cursor *c)
{
    return (uint32_t)cursor_uint(c, 4);
}

/* LEB128; bits beyond 64 are dropped. */
static inline uint64_t cursor_uleb(struct cursor *c)
{
    uint64_t v = 0;

    for (unsigned shift = 0; c->at < c->end; shift += 7) {
        uint8_t b = *c->at++;

        if (shift < 64)
            v |= (uint64_t)(b & 0x7f) << shift;
        if ((b & 0x80) == 0)
            return v;
    }
    cursor_fail(c);
    return 0;
}

static inline int64_t cursor_sleb(struct cursor *c)
{
    uint64_t v = 0;

    for (unsigned shift = 0; c->at < c->end;) {
        uint8_t b = *c->at++;

        if (shift < 64)
            v |= (uint64_t)(b & 0x7f) << shift;
        shift += 7;
        if ((b & 0x80) == 0) {
            if (shift < 64 && (b & 0x40) != 0)
                v |= UINT64_MAX << shift;
            return (int64_t)v;
        }
    }
    cursor_fail(c);
    return 0;
}

/* A NUL-terminated string inside the section; NULL if it does not end. */
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
