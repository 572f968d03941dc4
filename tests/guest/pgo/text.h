/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of text that somebody else owns, and room for an answer. Leaf. */
#ifndef PGO_TEXT_H
#define PGO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem.h"

struct text {
    const char *at;
    size_t length;
};

#define TEXT(literal) ((struct text){literal, sizeof(literal) - 1})

struct answer {
    char *bytes;
    size_t room, length;
    bool full; /* something did not fit, and is not there */
};

static inline bool text_same(struct text a, struct text b)
{
    if (a.length != b.length)
        return false;
    for (size_t i = 0; i < a.length; i++)
        if (a.at[i] != b.at[i])
            return false;
    return true;
}

static inline void answer_add(struct answer *out, struct text what)
{
    if (out->room - out->length < what.length) {
        out->full = true;
        return;
    }
    (void)memcpy(out->bytes + out->length, what.at, what.length);
    out->length += what.length;
}

static inline void answer_number(struct answer *out, uint64_t number)
{
    char digits[20];
    size_t first = sizeof digits;

    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    answer_add(out, (struct text){digits + first, sizeof digits - first});
}

#endif
