/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages in the wire format of Protocol Buffers. */
#include "export/proto.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

enum wire_type { VARINT = 0, LENGTH = 2 };

#define VARINT_MAX 10u /* bytes of 64 bits */

/* Make room for (size) more bytes. Returns whether there is room. */
static bool has_room(struct proto *p, size_t size)
{
    while (p->room - p->size < size && !p->no_memory)
        p->no_memory = vec_grow(&p->bytes, &p->room, p->room, 1) != 0;
    return p->room - p->size >= size;
}

void proto_append(struct proto *p, const void *bytes, size_t size)
{
    if (size == 0 || !has_room(p, size))
        return;
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
}

void proto_packed(struct proto *p, uint64_t value)
{
    if (!has_room(p, VARINT_MAX))
        return;
    for (; value >= 0x80; value >>= 7)
        p->bytes[p->size++] = (uint8_t)(value | 0x80);
    p->bytes[p->size++] = (uint8_t)value;
}

void proto_uint(struct proto *p, uint32_t number, uint64_t value)
{
    if (value == 0)
        return;
    proto_packed(p, (uint64_t)number << 3 | VARINT);
    proto_packed(p, value);
}

void proto_bytes(struct proto *p, uint32_t number, const void *bytes,
                 size_t size)
{
    proto_packed(p, (uint64_t)number << 3 | LENGTH);
    proto_packed(p, size);
    proto_append(p, bytes, size);
}

void proto_message(struct proto *p, uint32_t number, struct proto *inner)
{
    p->no_memory |= inner->no_memory;
    proto_bytes(p, number, inner->bytes, inner->size);
    inner->size = 0;
}

void proto_fini(struct proto *p)
{
    free(p->bytes);
}
