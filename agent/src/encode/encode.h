/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes records and fields as wire frames, into the caller's buffer. Also
 * reads a ring: struct tprof_reader follows the time, period, epoch and
 * counters of the records, because each SAMPLES frame contains them.
 */
#ifndef TPROF_ENCODE_H
#define TPROF_ENCODE_H

#include <stdint.h>

#include "encode/crc32c.h"
#include "sample/record.h"
#include "tprof_wire.h"

/* The place at which a core began to sample in a session. The core's tick
 * writes (at) before (session). Afterwards both are written under the pump's
 * lock (tprof_pump_forgo()). */
struct tprof_beginning {
    struct tprof_place at;
    /* Release in begin_session(), tick.c; acquire in tprof_has_begun(). */
    _Atomic uint32_t session;
};

/* The reader of one core's ring. Owned by the core that has the pump's lock. */
struct tprof_reader {
    struct tprof_ring *ring;
    uint64_t time; /* of the last record read, in units */
    uint32_t shift;
    uint32_t period;
    uint32_t epoch;
    /* WIRE_SAMPLES_*. Relaxed: map.c sets it before a record needs it. */
    _Atomic uint32_t flags;
    uint32_t session;                /* the records of this session are read */
    uint64_t counter[WIRE_COUNTERS]; /* of all records up to the head */
    struct tprof_beginning beginning;
};

/* Has the core of (r) begun to sample in (session)? */
static inline int tprof_has_begun(const struct tprof_reader *r,
                                  uint32_t session)
{
    /* acquire: pairs with the release in begin_session(), tick.c */
    return atomic_load_explicit(&r->beginning.session, memory_order_acquire) ==
           session;
}

/* A frame that is being written. The frame leaves out a field that does not
 * fit, which means that the caller has built too large a frame. */
struct tprof_frame {
    uint8_t *data;
    uint32_t size; /* bytes of the buffer */
    uint32_t used; /* bytes written */
};

/* Reads whole records from word (head) of the ring on, at most (words) cells,
 * and writes them to (out). (out) has room for (spare) cells more. (r) follows
 * the time and counters of these records. Returns the number of cells. */
uint32_t tprof_encode_cells(struct tprof_reader *r, uint32_t head, uint8_t *out,
                            uint32_t words, uint32_t spare);

/* Writes the varint of (value) at (at). Returns its end. */
uint8_t *tprof_encode_varint(uint8_t *at, uint64_t value);

/* Begins a frame of (type), number (seq), in (data). Fields follow, then
 * tprof_frame_end(). */
void tprof_frame_begin(struct tprof_frame *f, void *data, uint32_t size,
                       enum wire_type type, uint16_t seq);
/* Appends a field of (size) bytes. */
void tprof_frame_bytes(struct tprof_frame *f, uint32_t tag, const void *value,
                       uint32_t size);
/* Appends an integer, in as many bytes as it needs. */
void tprof_frame_field(struct tprof_frame *f, uint32_t tag, uint64_t value);
/* Adds length and CRC. Returns the number of bytes in the frame. */
uint32_t tprof_frame_end(struct tprof_frame *f, const struct tprof_crc32c *crc);

/*
 * Appends a SAMPLES body of (core) to (f), with as many records of (session) as
 * (r) has and as fit. Removes these records from the ring. Also removes the
 * records of earlier sessions, because this host does not have their stacks.
 * Returns the number of cells in the frame; 0: do not send the frame.
 */
uint32_t tprof_encode_samples(struct tprof_frame *f, struct tprof_reader *r,
                              uint32_t core, uint32_t session);

#endif
