/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes one long record (WIRE.md 5.2) into a ring, cell by cell. Nothing is
 * visible to the reader before tprof_long_end(), and a record that does not
 * fit leaves the ring as it was.
 */
#ifndef TPROF_LONGREC_H
#define TPROF_LONGREC_H

#include <stdint.h>

#include "ring.h"
#include "tprof_wire.h"

struct tprof_long {
    struct tprof_ring *ring;
    uint64_t word;  /* the cell being filled */
    uint32_t bits;  /* in it */
    uint32_t cells; /* written before it */
    uint32_t room;  /* cells that fit; beyond, only counted */
};

void tprof_long_begin(struct tprof_long *l, struct tprof_ring *ring,
                      enum wire_long type);
void tprof_long_varint(struct tprof_long *l, uint64_t value);

/* The varint that a signed (value) becomes. */
static inline uint64_t tprof_zigzag(uint64_t value)
{
    return value << 1 ^ (uint64_t)((int64_t)value >> 63);
}

/* Hands the record to the reader; 1, or 0: it did not fit. */
int tprof_long_end(struct tprof_long *l);

/* All of it at once, where the record is nothing but (count) varints. */
int tprof_long_write(struct tprof_ring *ring, enum wire_long type,
                     const uint64_t *value, uint32_t count);

#endif
