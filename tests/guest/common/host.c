/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of a host, as WIRE.md 2 and 7 have them. */
#include "host.h"

#include <stddef.h>

#define HEADER 8u
#define CRC    4u

/* CRC-32C, bit by bit. */
static uint32_t crc_of(const uint8_t *at, uint32_t size)
{
    uint32_t crc = 0xffffffffu;

    while (size-- > 0) {
        crc ^= *at++;
        for (int i = 0; i < 8; i++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

static void make_frame(struct host_frame *f, uint8_t type, const uint8_t *body,
                       uint8_t size)
{
    *f = (struct host_frame){.size = HEADER + size + CRC,
                             .bytes = {0x54, 0x9d, type, 0, 0, 0, size}};
    for (uint32_t i = 0; i < size; i++)
        f->bytes[HEADER + i] = body[i];
    uint32_t crc = crc_of(f->bytes, HEADER + size);

    for (uint32_t i = 0; i < CRC; i++)
        f->bytes[HEADER + size + i] = (uint8_t)(crc >> 8 * i);
}

void host_frame(struct host_frame *f, uint8_t type)
{
    make_frame(f, type, NULL, 0);
}

/* Put the field (tag) of (size) bytes at (to); (value) 0: nothing. Returns what
 * comes next. */
static uint8_t *put_field(uint8_t *to, uint8_t tag, uint8_t size,
                          uint32_t value)
{
    if (value == 0)
        return to;
    *to++ = tag;
    *to++ = size;
    for (; size > 0; size--, value >>= 8)
        *to++ = (uint8_t)value;
    return to;
}

void host_start(struct host_frame *f, uint32_t rate, uint32_t period)
{
    uint8_t body[20];
    uint8_t *end = put_field(body, 1, 4, rate);

    end = put_field(end, 2, 1, 127);
    end = put_field(end, 4, 4, period);
    make_frame(f, HOST_START, body, (uint8_t)(end - body));
}

int host_is_there(void *context)
{
    (void)context;
    return 1;
}

int host_says(void *context, void *data, uint32_t size)
{
    struct host_frame *f = context;
    uint8_t *to = data;
    uint32_t n = f->size;

    (void)size; /* there is always room for one */
    for (uint32_t i = 0; i < n; i++)
        to[i] = f->bytes[i];
    f->size = 0;
    return (int)n;
}

uint64_t host_field(const uint8_t *frame, uint32_t size, uint8_t tag,
                    uint64_t absent)
{
    uint32_t end = size - CRC;
    uint64_t value = 0;

    for (uint32_t at = HEADER; at + 2 <= end; at += 2u + frame[at + 1]) {
        if (frame[at] != tag)
            continue;
        for (uint32_t i = frame[at + 1]; i > 0; i--)
            value = value << 8 | frame[at + 1 + i];
        return value;
    }
    return absent;
}
