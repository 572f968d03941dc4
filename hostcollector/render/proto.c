/* SPDX-License-Identifier: BSD-2-Clause */
/* Varints and lengths; nothing else is needed. */
#include "render/proto.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

enum wire_type { VARINT = 0, LENGTH = 2 };

static void add_byte(struct proto *p, uint8_t byte)
{
    if (vec_grow(&p->bytes, &p->room, p->size, 1) != 0)
        p->no_memory = true;
    else
        p->bytes[p->size++] = byte;
}

void proto_append(struct proto *p, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;

    for (size_t i = 0; i < size; i++)
        add_byte(p, from[i]);
}

void proto_packed(struct proto *p, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        add_byte(p, (uint8_t)(value | 0x80));
    add_byte(p, (uint8_t)value);
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
