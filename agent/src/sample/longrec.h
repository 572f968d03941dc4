/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes one long record (WIRE.md 5.2) into a ring, cell by cell. The reader
 * sees nothing of it before tprof_long_end(). A record that does not fit leaves
 * the ring as it was.
 */
#ifndef TPROF_LONGREC_H
#define TPROF_LONGREC_H

#include <stdint.h>

#include "sample/ring.h"
#include "tprof_wire.h"

struct tprof_long {
    struct tprof_ring *ring;
    uint64_t word;  /* the cell being filled */
    uint32_t bits;  /* filled in (word) */
    uint32_t cells; /* complete; also counts cells beyond (room) */
    uint32_t room;  /* cells that fit */
};

void tprof_long_begin(struct tprof_long *l, struct tprof_ring *ring,
                      enum wire_long type);
void tprof_long_varint(struct tprof_long *l, uint64_t value);

/* Returns the varint for a signed (value). */
static inline uint64_t tprof_zigzag(uint64_t value)
{
    return value << 1 ^ (uint64_t)((int64_t)value >> 63);
}

/* Hands the record to the reader. Returns 1; 0 if it did not fit. */
int tprof_long_end(struct tprof_long *l);

/* Writes a whole record that consists of (count) varints. Returns 1; 0 if it
 * did not fit. */
int tprof_long_write(struct tprof_ring *ring, enum wire_long type,
                     const uint64_t *value, uint32_t count);

#endif
