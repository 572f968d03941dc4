/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames to the guest. */
#include "guest/talk/talk.h"

#include "util/bytes.h"
#include "util/crc.h"

/* Write a field of (size) bytes, at most 8. Writes nothing for a value of 0. */
static uint8_t *put_field(uint8_t *p, uint8_t tag, uint64_t value, uint8_t size)
{
    if (value == 0)
        return p;
    *p++ = tag;
    *p++ = size;
    for (uint8_t i = 0; i < size; i++)
        *p++ = (uint8_t)(value >> (8 * i));
    return p;
}

size_t command_encode(const struct command *c, uint16_t seq,
                      uint8_t out[COMMAND_MAX])
{
    uint8_t *body = out + WIRE_FRAME_HEADER;
    uint8_t *p = body;

    if (c->type == WIRE_START) {
        p = put_field(p, WIRE_CONTROL_RATE_HZ, c->rate_hz, 4);
        p = put_field(p, WIRE_CONTROL_DEPTH, c->depth, 2);
        p = put_field(p, WIRE_CONTROL_PERIOD_TSC, c->period_tsc, 8);
    } else if (c->type == WIRE_PING) {
        p = put_field(p, WIRE_PING_COOKIE, c->cookie, 8);
    }
    store_u16(out + WIRE_FRAME_MAGIC, WIRE_MAGIC);
    out[WIRE_FRAME_TYPE] = c->type;
    out[WIRE_FRAME_FLAGS] = 0;
    store_u16(out + WIRE_FRAME_SEQ, seq);
    store_u16(out + WIRE_FRAME_LENGTH, (uint16_t)(p - body));
    store_u32(p, crc32c(out, (size_t)(p - out)));
    return (size_t)(p - out) + WIRE_FRAME_TRAILER;
}
