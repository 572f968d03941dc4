/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction by instruction: bytes that come as they are (literals), and
 * copies of what has come out before (matches). What an instruction below 16
 * means depends on how many literals came before it.
 */
#include "dump/lzo.h"

#include <stdbool.h>
#include <string.h>

#define MANY        4u     /* literals before: a run of them, of 4 or more */
#define FAR         16384u /* distance that code 16 to 31 begins with */
#define SHORT_AGAIN 2049u  /* of a match of 3 bytes after a run */
#define RUN         3u     /* bytes that a run has at least, but the first */
#define FIRST       17u    /* the first byte: that, and literals */

struct lzo {
    const uint8_t *from, *from_end;
    uint8_t *start, *to, *to_end;
    bool bad; /* sticky */
};

static uint8_t next(struct lzo *z)
{
    if (z->from == z->from_end) {
        z->bad = true;
        return 0;
    }
    return *z->from++;
}

/* A length of (bits) bits in (code); where they are 0, it goes on: each zero
 * byte is 255, and the first other one ends it. */
static size_t length_of(struct lzo *z, uint8_t code, unsigned bits)
{
    size_t length = code & ((1u << bits) - 1);
    uint8_t byte = 0;

    if (length != 0)
        return length;
    length = (1u << bits) - 1;
    while (!z->bad && (byte = next(z)) == 0)
        length += 255; /* not more often than there are bytes */
    return length + byte;
}

static void literals(struct lzo *z, size_t count)
{
    if (z->bad || count > (size_t)(z->from_end - z->from) ||
        count > (size_t)(z->to_end - z->to)) {
        z->bad = true;
        return;
    }
    memcpy(z->to, z->from, count);
    z->from += count;
    z->to += count;
}

/* Byte by byte: what is copied may be longer than it is far. */
static void match(struct lzo *z, size_t distance, size_t length)
{
    if (z->bad || distance > (size_t)(z->to - z->start) ||
        length > (size_t)(z->to_end - z->to)) {
        z->bad = true;
        return;
    }
    for (; length > 0; length--, z->to++)
        *z->to = *(z->to - distance);
}

/* Two bytes: a distance in 14 bits, and in the last 2 bits literals. */
static size_t distance_of(struct lzo *z, unsigned *after)
{
    unsigned low = next(z);
    unsigned word = low | (unsigned)next(z) << 8;

    *after = word & 3;
    return word >> 2;
}

/* The match that (code) begins, when (before) literals came before. (*after)
 * is how many come behind it. False: it is the end. */
static bool one_match(struct lzo *z, uint8_t code, unsigned before,
                      unsigned *after)
{
    size_t length, distance;

    if (code >= 64) {
        length = code >= 128 ? 5 + (code >> 5 & 3) : 3 + (code >> 5 & 1);
        distance = ((size_t)next(z) << 3) + (code >> 2 & 7) + 1;
        *after = code & 3;
    } else if (code >= 32) {
        length = 2 + length_of(z, code, 5);
        distance = distance_of(z, after) + 1;
    } else if (code >= 16) {
        length = 2 + length_of(z, code, 3);
        distance = FAR + ((size_t)(code & 8) << 11) + distance_of(z, after);
        if (distance == FAR)
            return false;
    } else {
        length = before == MANY ? 3 : 2;
        distance = ((size_t)next(z) << 2) + (code >> 2 & 3) +
                   (before == MANY ? SHORT_AGAIN : 1);
        *after = code & 3;
    }
    match(z, distance, length);
    return true;
}

size_t dump_lzo(const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
    struct lzo z = {from, from + size, to, to, to + room, false};
    unsigned before = 0;
    bool more = true;

    if (size > 0 && *from > FIRST) {
        before = next(&z) - FIRST;
        literals(&z, before);
        if (before > MANY)
            before = MANY;
    }
    while (more && !z.bad) {
        uint8_t code = next(&z);

        if (code < 16 && before == 0) {
            literals(&z, RUN + length_of(&z, code, 4));
            before = MANY;
        } else {
            unsigned after = 0;

            more = one_match(&z, code, before, &after);
            if (more)
                literals(&z, after);
            before = after;
        }
    }
    return z.bad ? 0 : (size_t)(z.to - z.start);
}
