/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls zlib and libzstd, and remembers the result. */
#include "image/file/decompress.h"

#include <stdlib.h>

#include <zlib.h>
#include <zstd.h>

#include "util/vec.h"

/* DWARF compresses to a third or less; more than this is meant to hurt. */
#define MAX_INFLATION 64u
/* Of all sections together. */
#define MAX_UNPACKED  ((uint64_t)4 << 30)

struct unpacked_part {
    const uint8_t *packed;
    uint8_t *bytes; /* NULL: failed */
};

static bool fill(uint8_t *out, const struct packed *p)
{
    uLongf size = (uLongf)p->size;

    switch (p->method) {
    case UNPACK_ZLIB:
        return uncompress(out, &size, p->bytes, (uLong)p->packed_size) ==
                   Z_OK &&
               size == p->size;
    case UNPACK_ZSTD:
        return ZSTD_decompress(out, (size_t)p->size, p->bytes,
                               (size_t)p->packed_size) == p->size;
    default:
        return false;
    }
}

static uint8_t *take_apart(struct decompressed *u, const struct packed *p)
{
    uint8_t *out;

    if (p->size / MAX_INFLATION > p->packed_size ||
        p->size > MAX_UNPACKED - u->size)
        return NULL;
    out = malloc((size_t)p->size + 1);
    if (out == NULL || fill(out, p)) {
        u->size += p->size;
        return out;
    }
    free(out);
    return NULL;
}

const uint8_t *decompress(struct decompressed *u, const struct packed *p)
{
    struct unpacked_part part = {.packed = p->bytes};

    for (size_t i = 0; i < u->count; i++)
        if (u->list[i].packed == p->bytes)
            return u->list[i].bytes;
    if (vec_grow(&u->list, &u->room, u->count, sizeof *u->list) == 0) {
        part.bytes = take_apart(u, p);
        u->list[u->count++] = part;
    }
    u->failed |= part.bytes == NULL;
    return part.bytes;
}

void decompressed_fini(struct decompressed *u)
{
    for (size_t i = 0; i < u->count; i++)
        free(u->list[i].bytes);
    free(u->list);
    *u = (struct decompressed){0};
}
