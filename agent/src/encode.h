/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records and facts into wire frames, in a buffer of the caller's. The reader's
 * end of a ring: struct tprof_reader follows what the records say, so that each
 * SAMPLES frame states where it stands by itself.
 */
#ifndef TPROF_ENCODE_H
#define TPROF_ENCODE_H

#include <stdint.h>

#include "crc32c.h"
#include "record.h"
#include "tprof_wire.h"

/* One core's drain. Owned by who holds the pump's lock. */
struct tprof_reader {
    struct tprof_ring *ring;
    uint64_t time; /* units, of the last record read */
    uint32_t shift;
    uint32_t period;
    uint32_t epoch;
    uint32_t flags;   /* WIRE_SAMPLES_* */
    uint32_t discard; /* words still to be thrown away: an earlier session's */
    uint64_t counter[WIRE_COUNTERS]; /* of all records read */
};

/* A frame being written. Nothing is written beyond (size); then it is too
 * small for what its builder puts in, which is a fault of the builder. */
struct tprof_frame {
    uint8_t *data;
    uint32_t size; /* of the buffer */
    uint32_t used;
};

/* Begins a frame of (type) in (data); fields are appended, then _end(). */
void tprof_frame_begin(struct tprof_frame *f, void *data, uint32_t size,
                       enum wire_type type, uint16_t seq);
void tprof_frame_bytes(struct tprof_frame *f, uint32_t tag, const void *value,
                       uint32_t size);
/* An integer field, as many bytes as it needs. */
void tprof_frame_field(struct tprof_frame *f, uint32_t tag, uint64_t value);
/* Adds length and CRC; returns the frame's bytes. */
uint32_t tprof_frame_end(struct tprof_frame *f, const struct tprof_crc32c *crc);

/*
 * Appends the SAMPLES body of (core) to (f): what (r) has, as far as it fits,
 * given back to the ring. Returns the cells: with 0 the frame is not worth
 * sending.
 */
uint32_t tprof_encode_samples(struct tprof_frame *f, struct tprof_reader *r,
                              uint32_t core);

#endif
