/* SPDX-License-Identifier: BSD-2-Clause */
/* What the records of a ring say of time and counters: as the agent's own
 * reader follows them, so that each SAMPLES frame can tell these. */
#ifndef TPROF_DUMP_RECORDS_H
#define TPROF_DUMP_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "dump/ring.h"
#include "tprof_wire.h"

struct dump_records {
    uint64_t time; /* of the last record, in units */
    uint8_t shift;
    uint16_t period, epoch;
    bool began;                      /* one of them was a BEGIN */
    uint64_t counter[WIRE_COUNTERS]; /* up to the last record */
};

/* Follow the record at (at) of (ring), which is not the tail. Returns its
 * words, as dump_ring_count() does. */
uint32_t dump_records_follow(struct dump_records *r, struct dump_ring *ring,
                             uint32_t at);

/* The type of that record: enum wire_long; 0: a short sample. */
unsigned dump_records_type(struct dump_ring *ring, uint32_t at);

#endif
