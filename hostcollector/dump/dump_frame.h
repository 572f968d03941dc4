/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes one frame as an agent does: WIRE.md 2. */
#ifndef TPROF_DUMP_DUMP_FRAME_H
#define TPROF_DUMP_DUMP_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "tprof_wire.h"

struct dump_frame {
    uint8_t bytes[WIRE_FRAME_MAX];
    size_t used; /* bytes of the header, and of the body so far */
};

void dump_frame_begin(struct dump_frame *f, enum wire_type type, uint16_t seq);

/* Append a field: the (size) bytes, at most 255, or an integer. */
void dump_frame_bytes(struct dump_frame *f, unsigned tag, const void *value,
                      size_t size);
void dump_frame_field(struct dump_frame *f, unsigned tag, uint64_t value);

/* Append (value) as a varint. */
void dump_frame_varint(struct dump_frame *f, uint64_t value);

/* Fill in the length and append the CRC. */
void dump_frame_end(struct dump_frame *f);

#endif
